import { randomBytes } from 'node:crypto';
import type { LoadResult } from '../load/load.js';
import { checkAnswer, type Operation } from '../load/operation.js';
import { alone, type Bench, type Instance } from './bench.js';
import { fill } from './fill.js';
import { measureInRotation } from './rotation.js';

const fileSizes = [
  { label: '4 KB', bytes: 4096 },
  { label: '100 KB', bytes: 102_400 },
];

/** Uploads overwrite this many names, so that the disk does not fill and old bytes must be removed. */
const names = 1000;

const perSecond = (result: LoadResult) => result.requests / result.seconds;

interface Offer {
  readonly instance: Instance;
  readonly upload: Operation;
  readonly download: Operation | undefined;
}

/** Uploads and downloads of small files, each in one request. */
export async function runFileLoads(bench: Bench, instances: readonly Instance[]): Promise<void> {
  for (const { label, bytes } of fileSizes) {
    const [upload, download] = [`upload ${label}`, `download ${label}`];
    if (!bench.wants(upload) && !bench.wants(download)) continue;
    const content = randomBytes(bytes);
    const offers = instances.flatMap((instance): Offer[] => {
      const files = instance.contender.files;
      if (files?.upload === undefined) return [];
      return [{ instance, upload: files.upload(content), download: files.download?.(content) }];
    });
    for (const offer of offers) await alone(offer.instance, () => fillAndCheck(offer));
    for (const [workload, name] of [
      [upload, 'upload'],
      [download, 'download'],
    ] as const) {
      if (!bench.wants(workload)) continue;
      const loads = offers.flatMap(({ instance, [name]: operation }) => {
        if (operation === undefined) return [];
        const requests = [{ weight: 100, request: operation.request }];
        return [{ instance, requests, keys: { kind: 'random', below: names } as const }];
      });
      for (const connections of bench.connectionsFor(workload)) {
        await measureInRotation(
          bench,
          { workload, connections, unit: 'requests/s', value: perSecond },
          loads,
        );
      }
    }
  }
}

async function fillAndCheck({ instance, upload, download }: Offer): Promise<void> {
  await fill(instance.running.url, upload, names);
  if (download === undefined) return;
  await checkAnswer(instance.running.url, download, 0);
  await checkAnswer(instance.running.url, download, names - 1);
}
