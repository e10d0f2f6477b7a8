"""Models that run on this machine, in llama.cpp.

    catalogue   what `local/…` may name
    sources     the hub and the package index
    fetch       the cache of weights, checked by hash
    child       the process that holds a model
    server      starting it, watching it, ending it
    template    what its chat template adds
    model       `open_local`, the `Model` the engine uses

Nothing is imported here: `child` is a module of this package and should start with little.
"""
