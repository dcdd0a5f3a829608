"""Records of parallel loops (src/core/loop_record.h), and what a run would take with more threads.

A record is a tree. What one thread does in order is a list of steps, each of which is a number of nanoseconds, or a Loop whose
tasks are such lists. `seconds_with` lets threads work through the tree as src/core/thread_pool.cpp does: a loop's tasks are
begun in order, each by the next free thread; a thread that calls a loop works on it; threads with nothing to do take the tasks
of outer loops first; and a thread that has to wait for the last tasks of its loop helps with the loops inside of these.

Every task takes as long as it took on one thread. So the model leaves out that threads share the memory and the caches, and
that a processor with many busy cores has a lower clock: no real machine is as fast. It also leaves out what a run does
differently with more threads."""

import bisect
import heapq
import subprocess
from dataclasses import dataclass, field


@dataclass
class Costs:
    """Nanoseconds. bench/scaling/pool_costs.cpp measures some of them; these are of a virtual machine on an AMD EPYC."""
    awake: float = 1_300  # until a thread that looks out for work has begun a task
    asleep: float = 28_000  # until one that sleeps has
    wake: float = 8_000  # that waking a sleeping thread takes the one that wakes it
    task: float = 100  # that it takes to get hold of a task while many threads try
    looking_out: float = 50_000  # how long threads with nothing to do stay awake
    to_and_fro: float = 0  # that a number takes to another processor and back; 0: not measured. It is no part of the model


@dataclass
class Loop:
    caller: int
    tasks: list = field(default_factory=list)
    nested: bool = False
    long: bool = False  # its tasks are offered to busy threads, too

    def work(self):
        return sum(map(work, self.tasks))


def work(steps):
    return sum(step.work() if isinstance(step, Loop) else step for step in steps)


def read_events(path):
    """What happened, and how long it had been since what happened before."""
    with open(path) as lines:
        events = [line.split() for line in lines]
    if not events or events[-1][0] != "all":
        raise ValueError(f"{path}: expected a last line with the time of all")
    times = [int(event[1]) for event in events]
    return [(event[0], *map(int, event[2:])) for event in events], [time - before for before, time in zip([0, *times], times)]


def least_steps(records):
    """The steps of a run, with the least time of each in several records of it: what else the machine does is not the same
    in all of them."""
    kinds, least = records[0]
    for others, times in records[1:]:
        if others != kinds:
            raise ValueError("records of the same run with other loops")
        least = list(map(min, least, times))
    return tree(kinds, least)


def tree(kinds, times):
    open_steps, open_loops = [[]], []
    for (what, *rest), time in zip(kinds, times):
        open_steps[-1].append(time)
        if what == "loop":
            count, caller, is_long = rest
            loop = Loop(caller, long=bool(is_long))
            open_steps[-1].append(loop)
            for outer, _ in open_loops:
                outer.nested = True
            open_loops.append((loop, count))
            open_steps.append([])
        elif what == "task":
            open_loops[-1][0].tasks.append(open_steps[-1])
            open_steps[-1] = []
        elif what == "done":
            steps, (loop, count) = open_steps.pop(), open_loops.pop()
            if len(loop.tasks) < count:  # an exception ended it: what its last task did counts
                loop.tasks.append(steps)
    if open_loops:
        raise ValueError("a record with a loop that does not end")
    return open_steps[0]


class Job:
    """A loop that is being worked on."""

    def __init__(self, loop, parent):
        self.tasks, self.parent, self.next, self.helpers, self.shared = loop.tasks, parent, 0, 0, False

    def is_open(self):
        return self.next < len(self.tasks)

    def is_below(self, above):
        job = self
        while job is not None and job is not above:
            job = job.parent
        return job is not None


class Pool:
    """Threads are generators: each yields how long it is busy, or None while it waits."""

    def __init__(self, threads, costs, since_last):
        self.costs, self.since_last, self.jobs, self.now, self.order, self.turns = costs, since_last, [], 0.0, 0, []
        self.waiting = {}  # thread: (since when, the job below which it looks for work, or None for all)
        self.workers = [self.worker(k + 1) for k in range(threads - 1)]

    def run(self, steps):
        threads = [self.steps(0, steps, None), *self.workers]
        for number in range(1, len(threads)):
            self.waiting[number] = (-self.since_last, None, None)
            next(threads[number])
        self.at(0.0, 0)
        while self.turns:
            self.now, _, number = heapq.heappop(self.turns)
            busy = next(threads[number], "end")
            if busy == "end":
                return self.now
            if busy is not None:
                self.at(self.now + busy, number)
        raise ValueError("all threads wait")

    def at(self, time, number):
        self.order += 1
        heapq.heappush(self.turns, (time, self.order, number))

    def steps(self, me, steps, parent):
        for step in steps:
            if isinstance(step, Loop):
                yield from self.loop(me, step, parent)
            elif step:
                yield step

    def loop(self, me, loop, parent):
        job = Job(loop, parent)
        count = len(job.tasks)
        while not loop.long and job.next < count and (job.next == count - 1 or not self.waiting):
            job.next += 1
            yield from self.steps(me, job.tasks[job.next - 1], job)
        if not job.is_open():
            return
        self.jobs.append(job)
        woken = self.wake(count - 1)
        if woken:
            yield woken * self.costs.wake
        yield from self.drain(me, job)
        while job.helpers:
            below = self.open_job(job)
            if below:
                yield from self.help(me, below)
            else:
                yield from self.wait(me, job)
        self.jobs.remove(job)

    def drain(self, me, job):
        while job.is_open():
            job.next += 1
            task = job.tasks[job.next - 1]
            yield self.costs.task
            yield from self.steps(me, task, job)

    def help(self, me, job):
        job.helpers += 1
        yield from self.drain(me, job)
        job.helpers -= 1
        if not job.helpers:
            self.wake(len(self.waiting))

    def open_job(self, above):
        return next((job for job in self.jobs if job.is_open() and (above is None or job.is_below(above))), None)

    def wait(self, me, above):
        self.waiting[me] = (self.now, above, None)
        yield None
        del self.waiting[me]

    def wake(self, most):
        """Threads that would find what they wait for come back after a while. How many of them slept."""
        slept = 0
        for number, (since, above, coming) in self.waiting.items():
            if most <= 0:
                break
            if coming is not None or not (self.open_job(above) or (above is not None and above.helpers == 0)):
                continue
            is_asleep = self.now - since > self.costs.looking_out
            slept += is_asleep
            most -= 1
            self.waiting[number] = (since, above, self.now)
            self.at(self.now + (self.costs.asleep if is_asleep else self.costs.awake), number)
        return slept

    def worker(self, me):
        yield None
        del self.waiting[me]
        while True:
            job = self.open_job(None)
            if job:
                yield from self.help(me, job)
            else:
                yield from self.wait(me, None)


def flat_loop(loop, threads, costs, since_last):
    """The same for a loop of the first thread whose tasks have no loops: others have nothing else to do."""
    count = len(loop.tasks)
    helpers = min(threads - 1, count - 1)
    is_asleep = since_last > costs.looking_out
    start = costs.asleep if is_asleep else costs.awake
    own = helpers * costs.wake if is_asleep else 0.0
    free = [own] + [start] * helpers
    heapq.heapify(free)
    end = 0.0
    for task in loop.tasks:
        at = heapq.heappop(free) + costs.task + sum(task)
        end = max(end, at)
        heapq.heappush(free, at)
    # The caller is told by the last helper.
    return end + costs.awake


def modelled(steps, threads, costs=None):
    """(step, nanoseconds with so many threads) of everything that the first thread does in order."""
    costs = costs or Costs()
    since_last = costs.looking_out + 1
    for step in steps:
        if not isinstance(step, Loop):
            yield step, step
            since_last += step
        elif threads == 1 or len(step.tasks) < 2:
            yield step, step.work()
        else:
            yield step, Pool(threads, costs, since_last).run([step]) if step.nested else flat_loop(step, threads, costs, since_last)
            since_last = 0.0


def seconds_with(steps, threads, costs=None):
    return sum(took for _, took in modelled(steps, threads, costs)) * 1e-9


class Names:
    """Functions of a program by the addresses in them."""

    def __init__(self, program):
        found = subprocess.run(["nm", "--demangle", "--defined-only", program], capture_output=True, text=True, check=True).stdout
        lines = [line.split(maxsplit=2) for line in found.splitlines()]
        base = min((int(line[0], 16) for line in lines if line[2] == "__executable_start"), default=0)
        self.symbols = sorted((int(line[0], 16) - base, line[2]) for line in lines if line[1] in "tTwW")

    def of(self, address):
        k = bisect.bisect_right(self.symbols, (address, "\x7f"))
        return self.symbols[k - 1][1] if k else "?"
