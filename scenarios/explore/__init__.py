"""The explorer: thought experiments in the browser.

One page, in the folder ``page``, asks questions in JSON, and one pure function, `questions.reply`, answers them. The
page is served in two ways: ``multislot explore`` runs `serving` on this machine, and ``make explorer`` runs `building`,
which puts the page, the exact engine and a Python for the browser into files that need no server.
"""
