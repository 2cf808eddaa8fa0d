"""Being considerate: every experiment of Alizadeh Alamdari et al. 2021, exactly and learned."""
