import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { ProbeTarget } from './run.js';

/** One GET after another, in a thread of its own: what it measures is the server. It reports the longest. */
const { host, port, path, key } = workerData as ProbeTarget;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longestMs = 0;
let isAsked = false;

// Answered when the GET in progress is over: it may be the one that waits.
parentPort?.on('message', () => {
  isAsked = true;
});

function probe(): void {
  const beganMs = performance.now();
  const call = request({ agent, host, port, path, headers: { 'X-API-Key': key } }, (response) => {
    if (response.statusCode !== 200) throw new Error(`The probe was answered ${response.statusCode}`);
    response.resume();
    response.on('end', () => {
      longestMs = Math.max(longestMs, performance.now() - beganMs);
      if (isAsked) {
        parentPort?.postMessage({ longestMs });
        isAsked = false;
        longestMs = 0;
      }
      setImmediate(probe);
    });
  });
  call.end();
}

probe();
