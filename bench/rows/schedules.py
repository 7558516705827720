"""What schedules cost: one next fire, a refusal, ten thousand due in the same second."""

from bench.figures import Figure
from bench.setting import Setting


def next_fires(setting: Setting) -> list[Figure]:
    """One next fire over ten expressions and four zones, beside the libraries of the field."""
    rounds = [setting.run("bench.schedules", "fires") for _ in range(setting.rounds)]
    refusals = [setting.run("bench.schedules", "refusal") / 1000 for _ in range(setting.rounds)]
    ours = [found["ours"] for found in rounds]
    figures = [
        Figure("next fire", "ns", ours, "plain croniter", [found["croniter"] for found in rounds]),
        Figure("next fire, rarest accepted", "us", [found["rare"] / 1000 for found in rounds]),
        Figure("refusal of 31 February", "us", refusals),
    ]
    if "cronsim" in rounds[0]:
        reference = [found["cronsim"] for found in rounds]
        figures.insert(1, Figure("next fire again", "ns", ours, "cronsim", reference))
    return figures


def due_at_once(setting: Setting) -> list[Figure]:
    """Schedules due in one second into jobs, beside enqueueing as many jobs in one call."""
    count = setting.size(10_000, 10_000)
    rounds = [setting.run("bench.schedules", "due", str(count)) for _ in range(setting.rounds)]
    return [
        Figure(
            what="10,000 due schedules",
            unit="s",
            samples=[found["ours"] for found in rounds],
            reference_is="enqueue_many of 10,000 jobs in one call",
            reference=[found["enqueue"] for found in rounds],
        )
    ]
