import { type Drive, freshDrive } from '../../src/names.js';
import { expectStatus } from './expect.js';
import type { Service } from './service.js';

/** Makes and reads public files of a service (docs/http.md#public-files). */
export function publicFilesOf(service: Service) {
  const encoded = (name: string) => name.split('/').map(encodeURIComponent).join('/');
  const pathOf = (drive: Drive, name: string) =>
    `/public/${service.target.project}/${encodeURIComponent(drive.name)}/${encoded(name)}`;
  const read = (drive: Drive, name: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    service.api.send(method, pathOf(drive, name), { key: null, headers });
  const set = (drive: Drive, json: unknown) => service.api.send('PUT', `${drive.root}/public`, { json });

  /** A drive whose files below `site/` are public. Nobody has asked for them before, so every server shows them. */
  async function publicDrive(files: Readonly<Record<string, string>> = {}, name?: string): Promise<Drive> {
    const drive = freshDrive(service.api, name);
    expectStatus(await set(drive, { prefixes: ['site/'] }), 200);
    for (const [file, text] of Object.entries(files)) expectStatus(await put(drive, file, text), 201);
    return drive;
  }
  const put = (drive: Drive, name: string, text: string) =>
    service.api.send('POST', `${drive.root}/files?name=${encodeURIComponent(name)}`, { body: text });
  return { encoded, pathOf, read, set, publicDrive, put };
}
