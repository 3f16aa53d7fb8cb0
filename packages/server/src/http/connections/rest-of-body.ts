import type { IncomingMessage } from 'node:http';

/**
 * Of a body whose request was answered before it had arrived, so much is read and discarded: more than the largest body that a
 * client sends whole before it reads an answer (an item, a part or a small file).
 */
const mostBytes = 32 * 1024 * 1024;
const lookEveryMs = 100;

/**
 * Ends the connection of a request that was answered, once too much more of its body has arrived: nobody wants it
 * (docs/http.md#errors). Until then it is read, because a client that is still sending may not see the answer otherwise.
 */
export function boundRest(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  const from = socket.bytesRead;
  const timer = setInterval(look, lookEveryMs).unref();
  socket.once('close', stop);

  function look(): void {
    if (request.complete) stop();
    else if (socket.bytesRead - from > mostBytes) socket.destroy();
  }

  function stop(): void {
    clearInterval(timer);
    socket.removeListener('close', stop);
  }
}
