import type { RunningServer } from './run-cli.js';
import { send } from './served-copy.js';

/** Moves, replaces, copies and deletes files of a server until it is stopped. */
export interface MovingClient {
  /** Waits for the call in progress. Gives the names of all files of the client. */
  stop(): Promise<readonly string[]>;
  /** How often each file was moved. */
  rounds(): number;
}

const files = 60;
const atOnce = 10;

/** The bytes of a file never change, so its name says what they are: `{folder}/{n}`. */
export function bytesOfFile(name: string): Buffer {
  const n = Number(name.split('/')[1]);
  return Buffer.alloc(n % 3 === 0 ? 100 : 60_000, `${n} `);
}

export async function startMovingClient(server: RunningServer): Promise<MovingClient> {
  let folder = 'm0';
  const upload = (name: string) => send(server, 'POST', `drive/files?name=${name}`, bytesOfFile(name));
  const post = (path: string, list: readonly unknown[], overwrite = false) =>
    send(server, 'POST', `drive/files/${path}`, JSON.stringify({ files: list, overwrite }));
  for (let n = 0; n < files; n++) await upload(`${folder}/${n}`);
  let isMoving = true;
  let rounds = 0;

  const work = (async () => {
    while (isMoving) {
      // Now before the others, now after them, in the order of names.
      const next = `${rounds % 2 === 0 ? 'a' : 'z'}${rounds + 1}`;
      const numbers = Array.from({ length: files }, (_, n) => n);
      for (let at = 0; at < files; at += atOnce) {
        const some = numbers.slice(at, at + atOnce);
        await post(
          'move',
          some.map((n) => ({ from: `${folder}/${n}`, to: `${next}/${n}` })),
        );
        await post('copy', [{ from: `${next}/${at}`, to: `copy/${at}` }], true);
        await upload(`new/${at + 1}`);
        await post('move', [{ from: `new/${at + 1}`, to: `${next}/${at + 1}` }], true);
        await send(server, 'DELETE', 'drive/files', JSON.stringify({ names: [`copy/${at}`] }));
      }
      folder = next;
      rounds++;
    }
  })();

  return {
    rounds: () => rounds,
    async stop() {
      isMoving = false;
      await work;
      return Array.from({ length: files }, (_, n) => `${folder}/${n}`);
    },
  };
}
