import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** Changes what one `data` event holds, as Latin-1 text, which keeps every byte. The length must stay the same. */
export type Rewrite = (text: string) => string;

export interface RewriterOptions {
  readonly rewriteSent?: Rewrite;
  readonly rewriteReceived?: Rewrite;
}

export interface Rewriter {
  readonly port: number;
  /** How many bytes the database has sent through it. */
  receivedBytes(): number;
  close(): Promise<void>;
}

/** A proxy to a port of 127.0.0.1 that counts what comes back, and may change bytes in both directions. */
export async function startRewriter(targetPort: number, options: RewriterOptions = {}): Promise<Rewriter> {
  const { rewriteSent, rewriteReceived } = options;
  let receivedBytes = 0;
  const server = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port: targetPort, noDelay: true });
    for (const end of [near, far]) {
      end.on('error', () => {});
      end.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (chunk) => far.write(rewritten(chunk, rewriteSent)));
    far.on('data', (chunk) => {
      receivedBytes += chunk.length;
      if (near.write(rewritten(chunk, rewriteReceived))) return;
      far.pause();
      near.once('drain', () => far.resume());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    receivedBytes: () => receivedBytes,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}

function rewritten(chunk: Buffer, rewrite: Rewrite | undefined): Buffer {
  if (rewrite === undefined) return chunk;
  const changed = Buffer.from(rewrite(chunk.toString('latin1')), 'latin1');
  // The frames of the protocol carry their lengths.
  if (changed.length !== chunk.length) throw new Error('A rewrite changed the length of a message');
  return changed;
}
