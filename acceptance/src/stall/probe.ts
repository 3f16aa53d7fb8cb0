import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { ProbeTarget } from './run.js';

/**
 * Sends one GET after another from its own thread, so that only the server can delay them. Reports the longest time.
 * Without a pause between them, the GETs would cost more than all that they are sent beside.
 */
const { host, port, path, key } = workerData as ProbeTarget;
/** A wait may be measured as shorter by this much. */
const pauseMs = 2;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longestMs = 0;
let isAsked = false;

// Answered when the GET in progress has ended: it may be the one that had to wait.
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
      setTimeout(probe, pauseMs);
    });
  });
  call.end();
}

probe();
