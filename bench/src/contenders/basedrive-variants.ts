import { basedrive, startBasedrive } from './basedrive.js';
import { basedriveItems, basedriveUploadLarge } from './basedrive-operations.js';
import type { Contender } from './contender.js';

const { get, put, put25, page } = basedriveItems();

function served(name: string, about: string, flags: readonly string[]): Contender {
  return {
    name,
    about: `this service, ${about}`,
    missing: basedrive.missing!,
    start: (folder) => startBasedrive(folder, flags),
    items: { get, put, fill: put25 },
  };
}

/** The service as it is started otherwise, beside the usual one in the same run. */
export const basedriveVariants: readonly Contender[] = [
  served('basedrive with its log', 'with a line in its log for each request, as is its default', [
    '--log-level',
    'info',
  ]),
  served('basedrive over HTTPS', 'with its own certificate, on connections that are kept alive', ['--https']),
];

export const beforeName = 'basedrive before';

/** Another build of the service, for what is to be faster than in that one. */
export function earlierBuild(about: string, program: string): Contender {
  return {
    name: beforeName,
    about: `this service, ${about}`,
    start: (folder) => startBasedrive(folder, [], program),
    items: { fill: put25, page },
    files: { uploadLarge: basedriveUploadLarge },
  };
}
