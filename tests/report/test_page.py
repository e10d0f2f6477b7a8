from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise

import msgspec
import pytest

from fiducial.bias.paradigms import PARADIGMS
from fiducial.bias.result import ArmCount, Effect, RunResult
from fiducial.report.page import REPLY_LIMIT, Sample, render_page
from fiducial.run.audit import Check
from fiducial.stats.estimate import Estimate
from tests.report.hostile import HOSTILE, hostile, hostile_samples
from tests.report.judges import reader
from tests.report.made import bias, bins, calibration, debiased, estimate, fifteen, normal, run, samples, withheld
from tests.report.parsed import Page, cells

HEAT = "Mean effect by intensity and by domain"
CASES = {
    "normal": lambda: render_page([run()], samples()),
    "withheld": lambda: render_page([run([withheld("present_bias"), withheld("loss_aversion")], complete=False)]),
    "single": lambda: render_page([run([bias()])]),
    "fifteen": lambda: render_page([run(fifteen())], samples()),
    "two runs": lambda: render_page(
        [run(fifteen()), run(normal(), name="b", subject="openai/gpt-5-mini")], samples()
    ),
    "hostile": lambda: render_page([hostile()], hostile_samples()),
    "hostile beside": lambda: render_page([run(), hostile()], hostile_samples()),
    "nothing": lambda: render_page([run([], audit=[])]),
    "calibrated": lambda: render_page(
        [run([bias(), calibration()], reliability=bins((0.6, 0.5, 9))), run(name="b")]
    ),
    "judged": lambda: render_page(
        [
            msgspec.structs.replace(run(), judge=reader()),
            msgspec.structs.replace(run(name="b"), judge=reader("planted")),
        ]
    ),
    "judge unknown": lambda: render_page([msgspec.structs.replace(run(), judge=reader("unknown"))]),
    "debiased": lambda: render_page([run([debiased(bias(), 0.2, -0.2, 0.0), calibration()]), run(name="b")]),
}


@pytest.fixture(scope="module", params=CASES)
def html(request: pytest.FixtureRequest) -> str:
    return CASES[request.param]()


def test_a_page_is_well_formed_and_can_be_written(html: str) -> None:
    Page(html)
    html.encode()


def test_a_page_asks_for_nothing_from_outside(html: str) -> None:
    page = Page(html)
    for tag, attrs in page.tags:
        for name in ("src", "srcset", "action", "formaction", "xlink:href", "data", "poster"):
            assert name not in attrs, (tag, attrs)
        if "href" in attrs:
            assert str(attrs["href"]).startswith("#") or attrs["href"] == "data:,"
    assert {tag for tag, _ in page.tags} & {
        "img",
        "iframe",
        "object",
        "embed",
        "form",
        "base",
        "video",
        "audio",
    } == set()
    style = html[html.index("<style>") : html.index("</style>")]
    assert "@import" not in style
    assert "url(" not in style
    assert "http:" not in html.replace(HOSTILE, "")
    assert "https:" not in html


def test_no_attribute_runs_a_script(html: str) -> None:
    for _, attrs in Page(html).tags:
        assert not [name for name in attrs if name.startswith("on")]


def test_nothing_hostile_comes_through_unescaped(html: str) -> None:
    assert html.count("<script") == 1
    assert "<img" not in html
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]", html)


def test_a_template_inside_a_text_is_only_text() -> None:
    assert "{{7*7}}" in Page(render_page([hostile()], hostile_samples())).words


def test_no_number_is_missing_by_name(html: str) -> None:
    page = Page(html)
    assert not re.search(r"\b(nan|inf|infinity|undefined|None)\b", page.words)
    assert "-0.00" not in page.words
    assert "−0.00 " not in page.words
    for _, attrs in page.tags:
        assert not re.search(r"\b(NaN|nan|undefined)\b", " ".join(str(v) for v in attrs.values()))


def test_the_policy_names_the_one_script_by_its_hash(html: str) -> None:
    page = Page(html)
    [script] = page.scripts
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    [policy] = [
        a["content"] for t, a in page.tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None
    assert policy.startswith(
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    )


def test_ids_are_unique_and_every_link_inside_leads_somewhere(html: str) -> None:
    page = Page(html)
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    links = {str(a["href"])[1:] for _, a in page.tags if str(a.get("href", "")).startswith("#")}
    assert links <= set(ids)


def test_every_table_has_a_caption_and_every_header_a_scope(html: str) -> None:
    tags = Page(html).tags
    assert sum(t == "table" for t, _ in tags) == sum(t == "caption" for t, _ in tags)
    assert all("scope" in a for t, a in tags if t == "th")
    assert all(a.get("aria-label") or a.get("aria-hidden") for t, a in tags if t == "svg")


def test_headings_go_down_one_step_at_a_time(html: str) -> None:
    levels = [int(t[1]) for t, _ in Page(html).tags if re.fullmatch(r"h[1-6]", t)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_the_table_holds_the_numbers_of_the_result() -> None:
    result = run(fifteen())
    rows = [cells(row) for row in Page(render_page([result])).tables["Effects, with unadjusted 95 % intervals"]]
    by_name = {row[0]: row for row in rows}
    for one in result.biases:
        row = by_name[one.name]
        if not isinstance(one.effect, Effect):
            assert row[1:] == ["withheld: an interval needs at least 2 independent items; there is 1 item"]
            continue
        found = re.fullmatch(r"(\S+) \[(\S+), (\S+)\]", row[1])
        assert found
        assert [number(x) for x in found.groups()] == pytest.approx(
            [one.effect.value, one.effect.low, one.effect.high], abs=0.0051
        )
        assert int(row[2]) == one.effect.n
        assert number(row[3]) == pytest.approx(one.effect.p, abs=0.0051)
        assert number(row[4]) == pytest.approx(one.effect.q, abs=0.0051)
        assert ("flagged" in row[5]) == one.flagged
        assert row[6] == one.effect.method
    values = [number(row[1].split()[0]) for row in rows[1:-1]]
    assert values == sorted(values, reverse=True)


def test_sections_stand_in_the_order_in_which_one_doubts() -> None:
    page = Page(render_page([run(fifteen())], samples()))
    assert [a["id"] for t, a in page.tags if t == "section"] == [
        "summary", "audit", "facts", "effects", "dose", "domains", "items", "position", "unread", "samples", "methods",
        "provenance",
    ]  # fmt: skip


def test_failed_checks_come_first_and_passed_ones_are_folded() -> None:
    checks = [Check("fine", "pass", "p"), Check("hmm", "warn", "w"), Check("broken", "fail", "f")]
    html = render_page([run(audit=checks)])
    audit = html[html.index('id="audit"') : html.index('id="facts"')]
    assert audit.index("broken") < audit.index("hmm") < audit.index("<details") < audit.index("fine")
    assert "<details open" not in audit


def test_key_facts_and_settings_are_shown() -> None:
    words = Page(render_page([run()])).words
    for fact in ("1,350 of 1,350", "1,362", "$0.42", "312,400 input", "3 min 23 s", "Temperature 1 ", "Seed 7"):
        assert fact in words
    assert "not known" in Page(render_page([hostile()])).words


def test_unread_replies_are_listed_by_arm_with_worst_case_bounds() -> None:
    tables = Page(render_page([run()])).tables
    [_, row] = tables["Refused and unread replies by bias; in the other 2 biases every reply was read"]
    assert cells(row) == [
        "Anchoring effect", "405", "9 (2.2 %)", "3 (0.7 %)", "0 % to 6.7 %", "+0.31", "[0.23, 0.41]",
    ]  # fmt: skip
    [name] = [caption for caption in tables if caption.startswith("Arms with refused or unread replies")]
    assert name == "Arms with refused or unread replies; in the other 12 arms every reply was read"
    assert [cells(row)[1:] for row in tables[name][1:]] == [
        ["moderate", "90", "2", "2.2 %", "—"],
        ["strong", "90", "3", "4.4 %", "ambiguous 1"],
        ["adversarial", "90", "4", "6.7 %", "ambiguous 2"],
    ]


def test_a_bias_that_refused_throughout_is_one_row_and_many_arms_are_folded() -> None:
    def lost(reasons: list[dict[str, int]]) -> RunResult:
        arms = {f"arm{k}": ArmCount(replies=9, read=9 - sum(r.values()), unread=r) for k, r in enumerate(reasons)}
        return run([msgspec.structs.replace(bias(), arms=arms)])

    tables = Page(render_page([lost([{"refused": 9}] * 20)])).tables
    [row] = tables["Arms with refused or unread replies"][1:]
    assert cells(row) == ["Anchoring effect", "all 20 arms", "180", "180", "100 %", "—"]
    html = render_page([lost([{"refused": 1}] * 20)])
    assert "<summary>20 arms with refused or unread replies</summary>" in html


def test_without_any_estimate_by_domain_there_is_a_sentence_instead_of_a_table() -> None:
    gone = msgspec.structs.replace(bias(), by_domain=withheld().by_domain)
    page = Page(render_page([run([gone])]))
    assert "No domain has an estimate in this run: an interval needs at least 2 independent items" in page.words
    assert cells(page.tables[HEAT][1]) == ["weak", "moderate", "strong", "adversarial"]
    assert HEAT not in Page(render_page([run([withheld()])])).tables


def test_domains_without_an_estimate_are_dashes_not_zeros() -> None:
    [_, head, anchoring, *_] = [cells(row) for row in Page(render_page([run()])).tables[HEAT]]
    assert head[0] == "weak" and head[-1] == "risk"
    assert anchoring[-1] == "—"
    assert all(re.fullmatch(r"[+−]?\d\.\d\d", cell) for cell in anchoring[1:-1])


def test_a_sample_marks_what_differs_and_what_was_read() -> None:
    marked = Page(render_page([run()], samples()[:1])).marked
    assert [text[:18] for kind, text in marked if kind == "marked"][1:] == ["To make a start, N"]
    assert [text for kind, text in marked if kind == "read"][1:] == ["175"]


def test_a_very_long_reply_is_cut_and_says_by_how_much() -> None:
    reply = "&<" * 50_000
    sample = Sample(
        bias="anchoring_effect", item="i", arm="a", prompt="p", marked=(), reply=reply, status="read", answer="B",
        span=None, rule="r", score=1.0,
    )  # fmt: skip
    words = Page(render_page([run()], [sample])).words
    assert f"{100_000 - REPLY_LIMIT:,} characters left out" in words
    assert words.count("&<") == REPLY_LIMIT // 2


def test_methods_define_the_effect_of_each_paradigm_in_the_run() -> None:
    made = [msgspec.structs.replace(bias(name), paradigm=name) for name in PARADIGMS]
    words = Page(render_page([run(made)])).words
    for how in PARADIGMS.values():
        grows = f"What grows from weak to adversarial: {how.varies}." if how.intensities else "Asked once"
        assert f"{how.effect}. {grows}"[1:] in words
    assert "q ≤ .05" in words
    assert "differ by more than 5 points, or one exceeds 10 %" in words
    assert PARADIGMS["price_pair"].effect[1:] not in Page(render_page([run()])).words


def test_two_runs_stand_side_by_side() -> None:
    first, second = run(normal()), run([bias(value=0.5), withheld()], name="b", subject="openai/gpt-5-mini")
    page = Page(render_page([first, second]))
    [caption] = [c for c in page.tables if c.startswith("Effects of 2 runs")]
    by_name = {cells(row)[0]: cells(row) for row in page.tables[caption]}
    anchoring = by_name["Anchoring effect"]
    assert anchoring[1:] == [
        "+0.31 [0.12, 0.50] ● flagged n 15, p <.001, q .001",
        "+0.50 [0.31, 0.69] ● flagged n 15, p <.001, q .001",
    ]
    assert by_name["Gain-loss framing"][-1] == "not in this run"
    assert by_name["Present bias"][1] == "not in this run"
    assert by_name["Present bias"][2].startswith("withheld: ")


def test_an_estimate_that_is_not_a_number_is_withheld_in_words() -> None:
    odd = float("nan")
    broken = bias()
    broken.by_domain["social"] = Estimate(value=odd, low=odd, high=odd, n=2, method="t")
    broken.by_intensity["weak"] = Estimate(value=odd, low=odd, high=odd, n=2, method="t")
    page = Page(render_page([run([broken])]))
    assert "withheld: the estimate is not a number" in page.words
    assert not re.search(r"\bnan\b", page.words, re.IGNORECASE)


def test_a_page_needs_a_run() -> None:
    with pytest.raises(ValueError, match="at least one run"):
        render_page([])


def test_the_same_result_gives_the_same_page() -> None:
    assert render_page([run(fifteen())], samples()) == render_page([run(fifteen())], samples())


def test_a_cell_whose_interval_excludes_zero_stands_out() -> None:
    one = bias()
    one.by_domain.update(social=estimate(0.3, 0.1), temporal=estimate(0.3, 0.4))
    html = render_page([run([one])])
    assert 'class="toward clear" style="--deep: 0.30" title="+0.30 [0.20, 0.40], 15 items"' in html
    assert 'class="toward" style="--deep: 0.30" title="+0.30 [−0.10, 0.70], 15 items"' in html


def test_facts_that_the_runs_share_are_told_once() -> None:
    second = msgspec.structs.replace(run(name="b", subject="openai/gpt-5-mini"), calls=7)
    page = Page(render_page([run(), second]))
    assert [cells(row) for row in page.tables["Key facts in which the runs differ"]][1:] == [
        ["Calls", "1,362", "7"]
    ]
    assert page.words.count("3 min 23 s") == 1


def test_runs_of_one_subject_are_told_apart_by_their_names() -> None:
    words = Page(render_page([run(name="first"), run(name="second")])).words
    assert "anthropic/ claude-haiku-4-5 (first)" in words
    assert "anthropic/ claude-haiku-4-5 (second)" in words


def test_samples_stand_under_their_bias_in_the_order_of_the_page() -> None:
    def sample(bias_id: str, arm: str) -> Sample:
        return Sample(bias=bias_id, item="i", arm=arm, prompt="p", marked=(), reply="r", status="read", answer="B",
                      span=None, rule="r", score=1.0)  # fmt: skip

    ids = [("conjunction_fallacy", "weak"), ("anchoring_effect", "weak/low"), ("conjunction_fallacy", "control")]
    words = Page(render_page([run()], [sample(*one) for one in ids])).words
    found = re.findall(r"(Anchoring effect|Conjunction fallacy) (\d repl\w+) (\w+(?:: \w+)?) , i", words)
    assert found == [("Anchoring effect", "1 reply", "weak: low"), ("Conjunction fallacy", "2 replies", "control")]
