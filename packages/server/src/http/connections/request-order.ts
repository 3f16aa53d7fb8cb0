import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import type { BufferBudget } from '../memory/buffer-budget.js';
import { connectionOf, whenFinished } from './connection.js';
import { mustWait, readInTurn } from './paced-reading.js';

/** The memory of a waiting request: Node's objects for it and for its response. Measured: 8 to 10 KiB. */
const queuedRequestBytes = 10 * 1024;

/**
 * Calls `start` when the request before this one on its connection is finished and its answer has been read by the
 * client (docs/http.md#connections-and-request-ids). So a read that was pipelined after a write sees what it wrote (RFC
 * 9112, 9.3.2), and a connection has at most one answer in memory. Call it for every request, in order. `start` is
 * never called for a connection that has ended.
 */
export function startInOrder(request: IncomingMessage, budget: BufferBudget, start: () => void): void {
  const { socket } = request;
  const connection = connectionOf(socket);
  const { previous } = connection;
  if (previous === undefined) {
    start();
    return;
  }
  // Node has already read the request: if there is no room, the connection is closed.
  if (!budget.hasRoomFor(queuedRequestBytes)) {
    socket.destroy();
    return;
  }
  if (connection.queueHold === undefined) {
    const hold = budget.hold(0);
    connection.queueHold = hold;
    socket.once('close', () => hold.release());
  }
  const hold = connection.queueHold;
  if (connection.queued === 0) hold.waitForClient(() => socket.destroy());
  connection.queued++;
  hold.resize(connection.queued * queuedRequestBytes);
  whenFinished(previous, () => {
    const hadToWait = mustWait(connection);
    connection.queued--;
    if (socket.destroyed || connection.hasLastAnswer) return;
    hold.resize(connection.queued * queuedRequestBytes);
    if (hadToWait && !mustWait(connection)) readInTurn(() => socket.resume());
    // The client has read an answer: it has not stalled.
    hold.waitForClient(() => socket.destroy());
    void runInSlices(startInTurn(socket, start));
  });
}

/** Thousands of requests may have arrived in one chunk: the event loop comes round between them. */
function* startInTurn(socket: Socket, start: () => void): Steps<void> {
  yield;
  if (!socket.destroyed) start();
}
