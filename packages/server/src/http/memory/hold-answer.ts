import type { Socket } from 'node:net';
import type { BufferBudget, Hold } from './buffer-budget.js';

/**
 * Counts the answer to a request, instead of its body, until the client has read it. A client that does not read is cut
 * off when others need the room. Call it when the answer has been written.
 */
export function holdAnswer(
  budget: BufferBudget,
  exchange: { hold: Hold | undefined },
  { socket, size }: { readonly socket: Socket; readonly size: number },
): void {
  if (!socket.writableNeedDrain) {
    // Usually all of it has already left the process.
    exchange.hold?.release();
    return;
  }
  const hold = exchange.hold ?? budget.hold();
  hold.resize(size);
  holdUntilSent(hold, socket);
}

function holdUntilSent(hold: Hold, socket: Socket): void {
  const release = () => {
    socket.removeListener('drain', release);
    socket.removeListener('close', release);
    hold.release();
  };
  socket.on('drain', release);
  socket.on('close', release);
  hold.waitForClient(() => socket.destroy());
}
