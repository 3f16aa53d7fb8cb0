import { z } from 'zod';
import { drive, last, limit, prefix } from '../arguments.js';
import { maxListBytes, namesPerPage } from '../bounds.js';
import { takeEntries } from '../entry-page.js';
import { structuredResult } from '../results.js';
import { defineTool } from '../tool.js';

const seconds = z.number().optional().describe('Seconds since 1970 UTC');

/** Lists a page of the files of a drive (docs/http.md#list-files). */
export const listFiles = defineTool({
  name: 'list_files',
  title: 'List files',
  description:
    'Lists the files of a drive with their sizes and content types, in the order of their names. When `last` is in ' +
    'the result, more follow.',
  reach: 'drives',
  input: z.strictObject({
    drive,
    prefix,
    recursive: z
      .boolean()
      .default(true)
      .describe('False: show each directory after the prefix as one name that ends in a slash'),
    limit: limit(namesPerPage),
    last,
  }),
  output: z.object({
    files: z.array(
      z.object({
        name: z.string(),
        size: z.number().optional().describe('Bytes'),
        content_type: z.string().optional(),
        modified: seconds,
        expires: seconds,
        etag: z.string().optional(),
        metadata: z
          .record(z.string(), z.string())
          .optional()
          .describe('What a program has noted of the file'),
      }),
    ),
    last: z.string().optional(),
  }),
  async run(project, { drive: name, ...options }, signal) {
    const { files = [], paging } = await project.drive(name).list({ ...options, details: true, signal });
    const page = takeEntries(files, maxListBytes);
    const next = page.length < files.length ? page.at(-1)?.name : paging?.last;
    return structuredResult({
      files: page.map(({ name: file, size, content_type, modified, expires, etag, metadata }) => ({
        name: file,
        size,
        content_type,
        modified,
        expires,
        etag,
        metadata,
      })),
      ...(next !== undefined && { last: next }),
    });
  },
});
