"""Replays traffic between nodes on models of networks: `replay.py FILE...` prints the seconds on each model in a line for each file.

A file has lines of sender, receiver and bytes. All messages begin at once. Needs SimGrid (Debian: python3-simgrid).
"""

import os
import sys
import tempfile

from simgrid import Actor, Engine, Host, Mailbox

LINK = 'speed="1Gf" bw="1.25GBps" lat="1us" sharing_policy="SPLITDUPLEX"'

# 32 nodes each. In the tree, 8 nodes share a switch, which has 2 links to others. A group of the dragonfly has 2 x 4 routers of a node.
MODELS = {
    "fat tree": 'topology="FAT_TREE" topo_parameters="2;8,4;1,2;1,1"',
    "dragonfly": 'topology="DRAGONFLY" topo_parameters="4,4;2,3;4,1;1"',
}

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="nodes" prefix="" suffix="" radical="0-31" {link} {topology}/>
</platform>
"""


def send(mailbox, size):
    Mailbox.by_name(mailbox).put(0, size)


def receive(mailbox):
    Mailbox.by_name(mailbox).get()


def replay(topology, traffic):
    engine = Engine(["replay", "--log=root.thresh:error"])
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(PLATFORM.format(link=LINK, topology=topology))
        file.flush()
        engine.load_platform(file.name)
    for sender, receiver, size in traffic:
        mailbox = f"{sender} {receiver}"
        Actor.create("send", Host.by_name(str(sender)), send, mailbox, size)
        Actor.create("receive", Host.by_name(str(receiver)), receive, mailbox)
    engine.run()
    return Engine.clock


def in_child(topology, traffic):
    """Replays in a process of its own, because one has a single engine."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, str(replay(topology, traffic)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as result:
        seconds = result.read()
    if os.waitpid(child, 0)[1] != 0 or not seconds:
        sys.exit("the replay failed")
    return seconds


for name in sys.argv[1:]:
    with open(name) as file:
        messages = [[int(word) for word in line.split()] for line in file]
    print(*(in_child(topology, messages) for topology in MODELS.values()), sep="\t", flush=True)
