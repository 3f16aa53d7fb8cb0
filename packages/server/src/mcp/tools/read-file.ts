import { z } from 'zod';
import { BasedriveError, type Drive, type DriveFile } from '#client';
import { drive, fileName } from '../arguments.js';
import { fileBytes } from '../bounds.js';
import { failedResult } from '../results.js';
import { defineTool } from '../tool.js';

/** Reads a file, or a part of it (docs/http.md#download-file). */
export const readFile = defineTool({
  name: 'read_file',
  title: 'Read a file',
  description:
    'Reads a file. First comes a line of JSON: the size of the whole file, its content type, and `offset` and `bytes` ' +
    'of the part that follows; `next_offset` is there if the file goes on. Then comes the content: text as text, ' +
    `PNG, JPEG, GIF and WebP images up to ${fileBytes.max} bytes as an image, other bytes as base64.`,
  reach: 'drives',
  input: z.strictObject({
    drive,
    name: fileName,
    offset: z.int().min(0).default(0).describe('Read from this byte on'),
    length: z
      .int()
      .min(1)
      .max(fileBytes.max)
      .optional()
      .describe(`The most bytes to read. Default: ${fileBytes.default}, and all of an image`),
  }),
  async run(project, input, signal) {
    const { name, offset } = input;
    const file = await openPart(project.drive(input.drive), name, offset, signal);
    if (file === null) return failedResult(`There is no file ${name} in the drive ${input.drive}`);
    if (file === undefined)
      return failedResult(`offset: the file ends before byte ${offset} (refused, status 416)`);
    const size = sizeOf(file);
    const { bytes, text, imageType } = await readPart(file, size, input);
    const end = offset + bytes.length;
    const facts = {
      name,
      size,
      content_type: file.type,
      etag: file.etag,
      offset,
      bytes: bytes.length,
      ...(end < size && { next_offset: end }),
    };
    const head = { type: 'text', text: JSON.stringify(facts) } as const;
    if (text !== undefined) return { content: [head, { type: 'text', text }] };
    const data = Buffer.from(bytes).toString('base64');
    if (imageType !== undefined) return { content: [head, { type: 'image', data, mimeType: imageType }] };
    const path = [project.name, input.drive, ...name.split('/')].map(encodeURIComponent).join('/');
    const resource = { uri: `basedrive://${path}`, mimeType: file.type, blob: data };
    return { content: [head, { type: 'resource', resource }] };
  },
});

/** Bytes of a file, as text if they are that, or with the type of the image that they are. */
interface Part {
  readonly bytes: Uint8Array;
  readonly text?: string;
  readonly imageType?: string;
}

/** Reads an image that may be shown whole, and of any other file the part that is asked for. */
async function readPart(
  file: DriveFile,
  size: number,
  { offset, length }: { readonly offset: number; readonly length?: number | undefined },
): Promise<Part> {
  const wanted = length ?? fileBytes.default;
  const mayBeImage = file.type.startsWith('image/') && size <= fileBytes.max;
  const asImage = mayBeImage && offset === 0 && length === undefined;
  const bytes = await readUpTo(file, asImage ? fileBytes.max : wanted);
  const imageType = asImage ? imageTypeOf(bytes) : undefined;
  if (imageType !== undefined) return { bytes, imageType };
  const start = bytes.subarray(0, wanted);
  return wholeCharacters(start, offset + start.length < size) ?? { bytes: start };
}

/** Opens a file from a byte on. Gives null if there is none, and undefined if it ends before this byte. */
async function openPart(
  files: Drive,
  name: string,
  offset: number,
  signal: AbortSignal,
): Promise<DriveFile | null | undefined> {
  const range = { from: offset, to: offset + fileBytes.max - 1 };
  try {
    return await files.get(name, { range, signal });
  } catch (cause) {
    if (!(cause instanceof BasedriveError && cause.status === 416)) throw cause;
    // No range lies within an empty file.
    return offset === 0 ? await files.get(name, { signal }) : undefined;
  }
}

function sizeOf({ contentRange, size }: DriveFile): number {
  const [, whole] = /\/(\d+)$/.exec(contentRange ?? '') ?? [];
  return whole === undefined ? size : Number(whole);
}

/** Reads the first bytes, and ends the download. */
async function readUpTo(file: DriveFile, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let missing = maxBytes;
  for await (const chunk of file.stream()) {
    chunks.push(chunk.subarray(0, missing));
    missing -= chunk.length;
    if (missing <= 0) break;
  }
  return Buffer.concat(chunks);
}

/** How the images begin that models can look at. */
const signatures: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
];
const longestSignature = 12;

/**
 * The content type of an image that a model can look at, by its first bytes; undefined for other bytes. Whoever stored
 * a file chose its content type, and a model's service may refuse a conversation with what is no image.
 */
function imageTypeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, longestSignature)).toString('latin1');
  return signatures.find(([, pattern]) => pattern.test(start))?.[0];
}

/** Bytes that are text, and the text. */
interface FileText {
  readonly bytes: Uint8Array;
  readonly text: string;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** A character has up to four bytes, so three of it may be there without the last one. */
const maxCutBytes = 3;

/**
 * The text of bytes, if they are UTF-8 without U+0000; otherwise undefined. With `isCut`, more bytes follow: a character
 * that is cut in two at the end is left out.
 */
function wholeCharacters(bytes: Uint8Array, isCut: boolean): FileText | undefined {
  if (bytes.includes(0)) return undefined;
  for (let cut = 0; cut <= (isCut ? Math.min(maxCutBytes, bytes.length - 1) : 0); cut++) {
    try {
      const whole = bytes.subarray(0, bytes.length - cut);
      return { bytes: whole, text: decoder.decode(whole) };
    } catch {
      // It may end in the middle of a character.
    }
  }
  return undefined;
}
