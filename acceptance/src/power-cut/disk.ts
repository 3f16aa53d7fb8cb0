import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { TraceEvent } from './trace.js';

interface Chunk {
  readonly at: number;
  readonly bytes: Buffer;
}

interface File {
  readonly kind: 'file';
  /** In the order in which they were written: a later chunk overwrites earlier ones. */
  readonly chunks: Chunk[];
  /** The position of the next write that has no position of its own. */
  position: number;
  /** The number of chunks that are on stable storage. */
  durable: number;
}

interface Folder {
  readonly kind: 'folder';
  readonly entries: Map<string, Node>;
  durable: ReadonlyMap<string, Node>;
}

type Node = File | Folder;

/**
 * What a restart finds: `synced`, only what was synced; `written`, everything that was written; `torn`, the same with
 * half of the last write; `scattered`, every other write that was not synced, since a disk may reorder writes.
 */
export type View = 'synced' | 'written' | 'torn' | 'scattered';

/**
 * A model of a disk that keeps no more than it must: the bytes of a file up to its last sync, and the entries of a folder
 * as of its last sync. So a file whose folder was not synced is lost even if the file was synced, and a rename whose
 * folder was not synced has not happened.
 */
export class Disk {
  private readonly root: Folder = newFolder();
  private readonly runningSyncs = new Map<number, () => void>();
  private lastWritten: File | undefined;

  /** `top` is the folder that existed before. */
  constructor(private readonly top: string) {}

  apply(event: TraceEvent): void {
    switch (event.kind) {
      case 'create':
        this.create(event.path);
        break;
      case 'mkdir':
        this.enter(event.path, newFolder());
        break;
      case 'rename':
        this.rename(event.from, event.to);
        break;
      case 'unlink':
        this.leave(event.path);
        break;
      case 'write':
        this.put(event);
        break;
      case 'sync-begins':
        this.runningSyncs.set(event.id, this.beginSync(event.path));
        break;
      case 'sync-ends':
        this.runningSyncs.get(event.id)?.();
        break;
      case 'sent':
    }
  }

  /** Writes what a restart would find below `top` to `folder`. */
  async materialise(folder: string, view: View): Promise<void> {
    await this.write(this.root, folder, view);
  }

  private async write(from: Folder, folder: string, view: View): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const [name, node] of view === 'synced' ? from.durable : from.entries) {
      const path = join(folder, name);
      if (node.kind === 'folder') await this.write(node, path, view);
      else await writeFile(path, this.bytesOf(node, view));
    }
  }

  private bytesOf(file: File, view: View): Buffer {
    const durable = file.chunks.slice(0, file.durable);
    const rest = file.chunks.slice(file.durable);
    const last = rest.pop();
    if (view === 'synced' || last === undefined) return layOut(durable);
    if (view === 'scattered')
      return layOut([...durable, ...rest.filter((_, index) => index % 2 === 1), last]);
    if (view === 'written' || file !== this.lastWritten) return layOut(file.chunks);
    const half = { at: last.at, bytes: last.bytes.subarray(0, Math.floor(last.bytes.length / 2)) };
    return layOut([...durable, ...rest, half]);
  }

  /** Returns what to call when a sync that begins now ends: it makes the present state durable. */
  private beginSync(path: string): () => void {
    const node = this.find(path);
    if (node === undefined) return () => {};
    if (node.kind === 'folder') {
      const entries = new Map(node.entries);
      return () => {
        node.durable = entries;
      };
    }
    const count = node.chunks.length;
    return () => {
      node.durable = Math.max(node.durable, count);
    };
  }

  private put({ path, bytes, at }: Extract<TraceEvent, { kind: 'write' }>): void {
    const file = this.find(path);
    if (file?.kind !== 'file') return;
    file.chunks.push({ at: at ?? file.position, bytes });
    if (at === undefined) file.position += bytes.length;
    this.lastWritten = file;
  }

  private rename(from: string, to: string): void {
    const node = this.find(from);
    if (node === undefined) return;
    this.leave(from);
    this.enter(to, node);
  }

  private create(path: string): void {
    if (this.find(path) === undefined)
      this.enter(path, { kind: 'file', chunks: [], position: 0, durable: 0 });
  }

  private enter(path: string, node: Node): void {
    this.parentOf(path)?.entries.set(basename(path), node);
  }

  private leave(path: string): void {
    this.parentOf(path)?.entries.delete(basename(path));
  }

  private parentOf(path: string): Folder | undefined {
    const parent = this.find(dirname(path));
    return parent?.kind === 'folder' ? parent : undefined;
  }

  private find(path: string): Node | undefined {
    if (path === this.top) return this.root;
    if (!path.startsWith(`${this.top}/`)) return undefined;
    let node: Node | undefined = this.root;
    for (const name of path.slice(this.top.length + 1).split('/')) {
      node = node?.kind === 'folder' ? node.entries.get(name) : undefined;
    }
    return node;
  }
}

function newFolder(): Folder {
  return { kind: 'folder', entries: new Map(), durable: new Map() };
}

/** The content of a file; gaps between chunks are zeros. */
function layOut(chunks: readonly Chunk[]): Buffer {
  const file = Buffer.alloc(chunks.reduce((end, { at, bytes }) => Math.max(end, at + bytes.length), 0));
  for (const { at, bytes } of chunks) bytes.copy(file, at);
  return file;
}
