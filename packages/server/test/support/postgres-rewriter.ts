import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

export interface Rewriter {
  readonly port: number;
  /** How many bytes have come back through it. */
  received(): number;
  close(): Promise<void>;
}

/**
 * A wire to a port of 127.0.0.1 that counts what comes back, and on which a piece of what is said becomes another of
 * the same length.
 */
export async function startRewriter(targetPort: number, said = '', heard = ''): Promise<Rewriter> {
  let received = 0;
  const server = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port: targetPort, noDelay: true });
    for (const end of [near, far]) {
      end.on('error', () => {});
      end.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (chunk) => {
      // Latin-1 keeps every byte.
      const text = chunk.toString('latin1');
      far.write(said === '' ? chunk : Buffer.from(text.replaceAll(said, heard), 'latin1'));
    });
    far.on('data', (chunk) => {
      received += chunk.length;
      if (near.write(chunk)) return;
      far.pause();
      near.once('drain', () => far.resume());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received: () => received,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
