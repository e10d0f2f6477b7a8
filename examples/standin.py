"""A reviewer that sees each planted flaw in 3 runs of 4 and invents a finding in 2 of 4; a judge that knows the truth."""

import json
import random
import re
from pathlib import Path

FLAWS = {}  # by document
for folder in Path("ferry").glob("variant-*"):
    lines = (folder / "must_find.jsonl").read_text("utf-8").splitlines()
    FLAWS[(folder / "document.md").read_text("utf-8").strip()] = [json.loads(line) for line in lines]


def inside(request, name):
    """What stands between the fences of that name."""
    text = next(message.text for message in request.messages if message.role == "user")
    return re.findall(rf"<<<{name} \w+>>>\n(.*?)\n<<<end", text, re.DOTALL)


class Reviewer:
    """Sees what it sees by dice that are the same in every session."""

    def __init__(self):
        self.dice = {document: random.Random(document) for document in FLAWS}

    async def generate(self, request):
        """Titles and issues as they stand in the list, one JSON object a line."""
        document = inside(request, "document")[0].strip()
        chance = self.dice[document].random
        said = [flaw for flaw in FLAWS[document] if chance() < 0.75]
        if chance() < 0.5:
            said.append({"title": "No training plan", "issue": "How staff are trained is not said."})
        return "\n".join(json.dumps({"title": one["title"], "issue": one["issue"]}) for one in said)


class Judge:
    """Never wrong."""

    async def generate(self, request):
        """The verdict that the list calls for."""
        if issue := inside(request, "issue"):  # Task: match
            title, listed = issue[0].splitlines()[0], inside(request, r"finding \d+")
            at = next((k for k, one in enumerate(listed, 1) if one.startswith(title)), None)
            return json.dumps({"finding": at, "quotation": at and title, "verdict": "found" if at else "not_found"})
        claim, known = inside(request, "finding")[0], FLAWS[inside(request, "document")[0].strip()]
        flaw = next((flaw for flaw in known if claim.startswith(flaw["title"])), None)
        verdict, category = ("genuine", None) if flaw else ("not_genuine", "outside_context")
        evidence = flaw["evidence"][0] if flaw else "absent: training"
        said = {
            "evidence": evidence,
            "reason": "scripted",
            "category": category,
            "verdict": verdict,
            "confidence": 1,
        }
        return json.dumps(said)
