"""Simulated subjects and judges: models whose bias or error is known, so that an estimate can be compared with the truth.

Subjects never read the prompt (only `fixed` hashes it). What they need to know of an arm comes from
`Request.truth`; what they answer is worded in many ways (`phrasing`), so the reader is tested as well.

- `spec`: `planted:effect=.3,position=.2` -> `Spec`
- `subjects`: spec and truth -> a decision (an option, or a number)
- `phrasing`: a decision -> a natural reply
- `subject`: the three put together as a `Model`
- `judge_spec`: `judge:sensitivity=.8,specificity=.7` -> `JudgeSpec`, and what follows from it for its verdicts
- `judge`: spec and the truth of a case -> a verdict in the form of its task, as a `Model`
"""
