import { z } from 'zod';
import { drive, fileName } from '../arguments.js';
import { maxPutBytes } from '../bounds.js';
import { structuredResult } from '../results.js';
import { defineTool } from '../tool.js';

const timeoutMs = 60_000;

/** In the words of the service, which sees a name in a header only, where it has to be one. */
const nameRule = 'its name must be a-z, 0-9, ".", "_" and "-", and begin with a letter or a digit';
const input = z
  .strictObject({
    drive,
    name: fileName,
    text: z.string().optional().describe('The content as text, which is written as UTF-8'),
    base64: z.base64().optional().describe('The content as bytes, in base64; instead of text'),
    content_type: z.string().min(1).optional().describe('Default: derived from the extension of the name'),
    metadata: z
      .record(z.string(), z.string())
      .optional()
      .describe('Notes on the file: texts by names of a-z, 0-9, dot, underscore and hyphen, 2 KiB together'),
    overwrite: z.boolean().default(true).describe('False: fail if there is a file of this name'),
  })
  .superRefine(({ text, base64, metadata = {} }, { addIssue }) => {
    const refuse = (field: string, message: string) => addIssue({ code: 'custom', path: [field], message });
    for (const name of Object.keys(metadata))
      if (!/^[a-z\d][\w.-]*$/i.test(name)) refuse(`metadata.${name}`, nameRule);
    if ((text === undefined) === (base64 === undefined)) refuse('text', 'give either text or base64');
    const field = text === undefined ? 'base64' : 'text';
    if (contentOf({ text, base64 }).length > maxPutBytes) refuse(field, `at most ${maxPutBytes} bytes`);
  });

/** Stores a file (docs/http.md#put-file). */
export const putFile = defineTool({
  name: 'put_file',
  title: 'Put a file',
  description: `Stores a file of up to ${maxPutBytes} bytes and replaces any file of that name.`,
  reach: 'drives',
  writes: { destructiveHint: true, idempotentHint: true },
  input,
  output: z.object({ name: z.string(), size: z.number() }),
  async run(
    project,
    { drive: files, name, content_type: contentType, metadata, overwrite, ...given },
    signal,
  ) {
    const content = contentOf(given);
    const condition = overwrite ? {} : { ifNoneMatch: '*' };
    await project.drive(files).put(name, content, { contentType, metadata, ...condition, timeoutMs, signal });
    return structuredResult({ name, size: content.length });
  },
});

function contentOf({
  text,
  base64 = '',
}: {
  text?: string | undefined;
  base64?: string | undefined;
}): Buffer {
  return text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text);
}
