// A front: a process of its own, which a server with --workers starts. It accepts connections and ends TLS, and knows nothing
// else: the owner of the store, which has started it, does the rest.
import { Socket } from 'node:net';
import { type AcceptMessage, descriptors, type FromFront, type ToFront } from '../messages.js';
import { type Accepting, createAccepting } from './accept.js';
import { createRelay } from './relay.js';

const tellTrafficEveryMs = 500;

process.title = 'basedrive front';
// They may go to all processes of a terminal or of a service: the owner decides when its fronts end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const frames = new Socket({ fd: descriptors.frames, readable: true, writable: true });
frames.on('error', () => {});
// Without its owner, a front ends at once. One that was told to stop ends when its owner has gone, too.
frames.on('close', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
const relay = createRelay(frames);
let accepting: Accepting | undefined;
let isStopping = false;

process.on('message', (message: ToFront) => {
  if ('accept' in message) accepting = accept(message.accept);
  else if ('certificate' in message) accepting?.useCertificate(message.certificate, message.ticketKeys);
  else stop();
});

function accept(told: AcceptMessage): Accepting {
  const made = createAccepting(relay, { ...told, onPlainHttp: () => tell({ plainHttp: true }) });
  const onError = ({ code, message }: NodeJS.ErrnoException) => tell({ failed: { code, message } });
  made.server.on('error', onError);
  made.server.listen({ fd: descriptors.listening }, () => tell({ listening: true }));
  let last = '';
  setInterval(() => {
    const traffic = made.traffic();
    const text = JSON.stringify(traffic);
    if (text !== last) tell({ traffic });
    last = text;
  }, tellTrafficEveryMs).unref();
  return made;
}

function stop(): void {
  if (isStopping) return;
  isStopping = true;
  if (accepting === undefined) process.exit(0);
  const { server, traffic } = accepting;
  server.close(() => {
    tell({ traffic: traffic() });
    frames.end(() => process.exit(0));
  });
}

function tell(message: FromFront): void {
  // The owner may have gone; then this process ends, too.
  if (process.connected) process.send?.(message, () => {});
}
