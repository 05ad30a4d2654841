"""The verifier refuses every seeded wrong builder and says where it was wrong; it accepts the right one.

The second half is what the requirement markers stand on: the verifier recomputes everything by code of its
own, so a build that breaks one of them is no longer accepted.
"""

from pathlib import Path

import pytest

from tekrar.errors import TekrarError
from tekrar.verify import ArtifactDiffers, verify_full, verify_quick
from tests.small import Built
from tests.verify.corpus import corpus
from tests.verify.wrong_builders import DEFER, WRONG, gate_collides


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(corpus(), tmp_path_factory.mktemp("right"))


@pytest.mark.req(
    "CORE-05", "EN-02", "EN-06", "EN-09", "PRO-07", "PRO-08", "PRJ-03", "PRJ-04", "PRJ-05", "PRJ-07"
)
@pytest.mark.req(
    "PRJ-08", "EX-02", "EX-03", "EX-04", "CL-01", "CL-04", "DOM-02", "DOM-03", "DOM-05", "DOM-06"
)
@pytest.mark.req("COV-01", "COV-08")
def test_the_right_builder_is_accepted(right: Built) -> None:
    full, quick = verify_full(right.path, right.release), verify_quick(right.path, right.release)
    assert full.artifact_root == quick.artifact_root == right.result.artifact_root
    assert full.roots == quick.roots == 85
    assert set(full.status.values()) == {"complete"}


@pytest.mark.req("EX-09", "COV-04", "REL-03")
@pytest.mark.parametrize(
    "options", [{"digest": gate_collides}, {"defer": DEFER}], ids=["collision", "deferral"]
)
def test_the_right_builder_is_accepted_when_it_must_be_partial(
    tmp_path: Path, options: dict[str, object]
) -> None:
    built = Built(corpus(), tmp_path, **options)
    assert verify_full(built.path, built.release).status["FP"] == "partial"
    verify_quick(built.path)


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.req("REL-10")
def test_a_wrong_builder_is_refused_by_profile_and_kind(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: Built
) -> None:
    wrong = WRONG[name]
    with monkeypatch.context() as to:
        wrong.patch(to)
        built = Built(corpus(), tmp_path, **wrong.options)
    assert built.result.artifact_root != right.result.artifact_root
    if wrong.quick:
        verify_quick(built.path, built.release)
    else:
        with pytest.raises(TekrarError):
            verify_quick(built.path, built.release)
    with pytest.raises(ArtifactDiffers) as caught:
        verify_full(built.path, built.release)
    first = caught.value.differences[0]
    assert (first.profile, first.kind) == wrong.first
    assert f"profile {first.profile}, {first.kind}: " in caught.value.message
    assert first.expected != first.found
    named = {(one.profile, one.kind) for one in caught.value.differences}
    assert named >= set(wrong.further)
    assert caught.value.exit_status == 7
