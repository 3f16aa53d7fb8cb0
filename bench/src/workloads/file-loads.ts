import { randomBytes } from 'node:crypto';
import type { LoadResult } from '../load/load.js';
import { checkAnswer, type Operation } from '../load/operation.js';
import { alone, type Bench, type Entrant } from './bench.js';
import { fill } from './fill.js';
import { rotate } from './rotation.js';

const fileSizes = [
  { label: '4 KB', bytes: 4096 },
  { label: '100 KB', bytes: 102_400 },
];

/** Uploads go over and over these names: the disk does not fill, and old bytes have to go. */
const names = 1000;

const perSecond = (result: LoadResult) => result.requests / result.seconds;

interface Offer {
  readonly entrant: Entrant;
  readonly upload: Operation;
  readonly download: Operation | undefined;
}

/** Uploads and downloads of small files, each whole in one request. */
export async function runFileLoads(bench: Bench, entrants: readonly Entrant[]): Promise<void> {
  for (const { label, bytes } of fileSizes) {
    const [upload, download] = [`upload ${label}`, `download ${label}`];
    if (!bench.wants(upload) && !bench.wants(download)) continue;
    const content = randomBytes(bytes);
    const offers = entrants.flatMap((entrant): Offer[] => {
      const files = entrant.contender.files;
      if (files?.upload === undefined) return [];
      return [{ entrant, upload: files.upload(content), download: files.download?.(content) }];
    });
    for (const offer of offers) await alone(offer.entrant, () => fillAndCheck(offer));
    for (const [workload, name] of [
      [upload, 'upload'],
      [download, 'download'],
    ] as const) {
      if (!bench.wants(workload)) continue;
      const heats = offers.flatMap(({ entrant, [name]: operation }) => {
        if (operation === undefined) return [];
        const requests = [{ weight: 100, request: operation.request }];
        return [{ entrant, requests, keys: { kind: 'random', below: names } as const }];
      });
      for (const connections of bench.options.connections) {
        await rotate(bench, { workload, connections, unit: 'requests/s', value: perSecond }, heats);
      }
    }
  }
}

async function fillAndCheck({ entrant, upload, download }: Offer): Promise<void> {
  await fill(entrant.running.url, upload, names);
  if (download === undefined) return;
  await checkAnswer(entrant.running.url, download, 0);
  await checkAnswer(entrant.running.url, download, names - 1);
}
