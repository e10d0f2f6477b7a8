"""A small study, cell by cell: two subjects whose bias is known, from the run to the picture.

    python examples/notebook.py

The cells are marked as notebooks and editors know them (`# %%`). It makes no call to anybody: the subjects are simulated,
one with a planted effect of .4, one without any. Put real models in their place.
"""

# %% Two runs. The same cell, run again, finds them again and asks nobody.
import altair as alt
import polars as pl

from fiducial import api

SUBJECTS = {"planted": "sim/planted:effect=.4", "coin": "sim/coin"}
BIASES = ["anchoring_effect", "gain_loss_framing", "conjunction_fallacy"]

runs = {
    name: api.bias_run(
        model,
        tier="core",
        biases=BIASES,
        arms=["control", "strong"],
        trials=1,
        progress=False,
        out=f"runs/{name}.db",
    )
    for name, model in SUBJECTS.items()
}

# %% Is there anything in the runs themselves that should make us doubt them?
for name, run in runs.items():
    print(name, "complete" if run.complete else "incomplete", [check.code for check in run.failed_checks()])

# %% The effects side by side, each with its interval. Withheld ones stay in, with the reason.
effects = pl.concat(
    run.frames.effects.filter(level="bias").select(
        pl.lit(name).alias("subject"), "bias", "value", "low", "high", "n", "q", "flagged", "withheld"
    )
    for name, run in runs.items()
)
print(effects)

# %% Where does the planted one show? Scores of the replies by domain, control against treatment.
planted = runs["planted"].frames
scores = (
    planted.trials.join(planted.readings, on="trial")
    .filter(bias="gain_loss_framing")
    .group_by("domain", "sign")
    .agg(replies=pl.len(), read=pl.col("score").count(), score=pl.col("score").mean())
    .sort("domain", "sign")
)
print(scores)

# %% Do the two differ by more than chance, and how much could have been seen?
compared = api.compare(runs["coin"], runs["planted"])
print("higher in planted:", compared.higher())

# %% A picture, and the data behind it for somebody else.
base = alt.Chart(effects.drop_nulls("value")).encode(y="bias:N", yOffset="subject:N", color="subject:N")
intervals = base.mark_rule().encode(x=alt.X("low:Q", title="effect, with its 95 % interval"), x2="high:Q")
(intervals + base.mark_point(filled=True).encode(x="value:Q")).save("effects.svg")
runs["planted"].report("planted.html")
runs["planted"].export("planted-effects.parquet", what="effects")
