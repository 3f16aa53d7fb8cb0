import { useEffect, useRef } from 'preact/hooks';
import { tellFailure } from '../../ui/toast.js';
import { onStored } from '../uploads/transfers.js';
import type { FolderListing } from './folder-listing.js';

/** Milliseconds in which what is stored is gathered, so that it is read together. */
const togetherMs = 300;
/** How many times as long as a reading took there is none: in an order other than that of names it reads everything. */
const restTimes = 3;

/**
 * Shows what this tab stores in a drive: the first file at once, and those that follow it in a few readings. Gives what says
 * whether the file of a name is still to be shown.
 */
export function useStored(drive: string, listing: FolderListing): { current(name: string): boolean } {
  const isToCome = useRef<(name: string) => boolean>(() => false);
  useEffect(() => {
    let waiting = new Set<string>();
    let read = new Set<string>();
    let isResting = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = async () => {
      isResting = waiting.size > 0;
      if (!isResting) return;
      [read, waiting] = [waiting, new Set()];
      const beganMs = performance.now();
      await listing.update({ stored: [...read] }).catch(tellFailure);
      read.clear();
      const restMs = Math.max(togetherMs, restTimes * (performance.now() - beganMs));
      if (isToCome.current === has) timer = setTimeout(show, restMs);
    };
    const has = (name: string) => waiting.has(name) || read.has(name);
    isToCome.current = has;
    const end = onStored((storedIn, name) => {
      if (storedIn !== drive) return;
      waiting.add(name);
      if (!isResting) void show();
    });
    return () => {
      end();
      clearTimeout(timer);
      isToCome.current = () => false;
    };
  }, [drive, listing]);
  return isToCome;
}
