import { memoryShare } from './memory.js';

const mebibyte = 1024 * 1024;
/** V8 begins to collect when this many bytes outside its heap were allocated since its last collection. */
const noticedBytes = 65 * mebibyte;
const mostBytes = memoryShare(64 * mebibyte);

let bytes = 0;

/**
 * Notes the memory of a native object that is not used any more. The memory is freed when V8 collects the JavaScript object
 * that stands for it. That object has only a few bytes, so V8 sees no need to: 72 counts of 100,000 items left 1 GB within
 * 15 s. With a collection for each 64 MiB they left 180 MB. A collection takes 6 to 10 ms of the event loop.
 */
export function noteExternalMemory(moreBytes: number): void {
  bytes += moreBytes;
  if (bytes < mostBytes) return;
  bytes = 0;
  try {
    // Nobody writes these bytes, so the system has no memory for them. But V8 counts them. (The bundler leaves out a `new
    // ArrayBuffer` that nobody uses.)
    Buffer.allocUnsafeSlow(noticedBytes);
  } catch {
    // V8 has collected before it refused.
  }
}
