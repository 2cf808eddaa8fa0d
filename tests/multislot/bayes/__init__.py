"""Tests of finite model classes and the pessimistic agent."""
