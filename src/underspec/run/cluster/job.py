"""What a worker is told: enough to open the run as the driver did, and to see whether it is the same there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from underspec import __version__
from underspec.errors import EnvironmentLacksError
from underspec.run.context import RunContext
from underspec.run.experiment import Experiment
from underspec.run.manifest import FILE
from underspec.run.prepare import Prepared, open_context
from underspec.sandbox.backends import load_backend


@dataclass(frozen=True)
class Job:
    """A run as it is sent to a node: names and digests, no key and no file's content.

    ``settings`` are what :func:`underspec.run.prepare.prepare` was given beside experiment and backend. Paths are taken
    as the driver's working folder has them, so tasks, scripts and the store lie at the same places on every node.
    """

    experiment: Experiment
    backend: str
    settings: Mapping[str, Any]
    folder: str
    tasks: Mapping[str, str]
    images: Mapping[str, str]
    manifest: bytes
    underspec: str = __version__


def make_job(prepared: Prepared, settings: Mapping[str, Any]) -> Job:
    """The job of a run that has begun; ``settings`` as given to ``prepare``."""
    context = prepared.context
    return Job(
        experiment=prepared.experiment,
        backend=context.backend.name,
        settings={**settings, "run": context.store.path.name},
        folder=str(Path.cwd()),
        tasks={task: context.tasks[task].digest for task in context.tasks.paths},
        images=dict(context.image_digests),
        manifest=(context.store.path / FILE).read_bytes(),
    )


def open_job(job: Job) -> RunContext:
    """The run's context on this node.

    Raises:
        EnvironmentLacksError: something is not here as it is where the run was planned; says what.
        UsageError: a task, agent or router is not to be had here.
    """
    if job.underspec != __version__:
        mend = f"install underspec {job.underspec} there"
        raise EnvironmentLacksError(f"underspec {__version__} is installed, and {job.underspec} planned", mend=mend)
    if not Path(job.folder).is_dir():
        mend = "mount the folder from which the run was started at the same place on every node"
        raise EnvironmentLacksError("the working folder of the run is not there", file=job.folder, mend=mend)
    os.chdir(job.folder)
    backend = load_backend(job.backend)
    for check in backend.checks():
        if check.required and not check.ok:
            raise EnvironmentLacksError(f"{check.name}: {check.detail}", mend=check.mend)
    _items, context = open_context(job.experiment, backend=backend, **job.settings)
    manifest = context.store.path / FILE
    if not manifest.is_file() or manifest.read_bytes() != job.manifest:
        mend = "give --runs a folder that all nodes see at the same place"
        raise EnvironmentLacksError("the run's folder is not the one that was planned", file=str(manifest), mend=mend)
    for task, digest in job.tasks.items():
        if context.tasks[task].digest != digest:
            mend = "lay the same task there"
            raise EnvironmentLacksError(f"task {task} is another one", file=str(context.tasks.paths[task]), mend=mend)
    context.image_digests.update(job.images)
    return context


def images_here(job: Job) -> frozenset[tuple[str, str]]:
    """Which of the run's images are on this node, as it was planned with them."""
    backend = load_backend(job.backend)
    found = set()
    for name, digest in job.images.items():
        try:
            here = backend.image_digest(name)
        except EnvironmentLacksError:
            continue  # not on this node; items that need it go to others
        if here == digest:
            found.add((name, digest))
    return frozenset(found)
