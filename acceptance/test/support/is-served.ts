import { openSocket } from '../../src/open-socket.js';
import type { Target } from '../../src/target.js';

/** Whether a new client gets in and is answered. */
export async function isServed(target: Target): Promise<boolean> {
  try {
    const socket = await openSocket(target);
    socket.end('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let answer = '';
    for await (const bytes of socket) answer += bytes;
    return answer.startsWith('HTTP/1.1 200 ');
  } catch {
    return false;
  }
}
