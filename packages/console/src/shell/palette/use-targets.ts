import { useEffect, useMemo, useState } from 'preact/hooks';
import { isAborted } from '../../api/errors.js';
import { tellFailure } from '../../ui/toast.js';
import { localTargets } from './local-targets.js';
import { findBases, findDrives, findFiles, findItems } from './service-targets.js';
import type { Target, TargetGroup } from './target.js';

/** Milliseconds without a key after which the service is asked. */
const restMs = 120;

interface Found {
  readonly text: string;
  readonly of: Readonly<Record<string, readonly Target[]>>;
}

interface UsedTargets {
  readonly groups: readonly TargetGroup[];
  /** Whether more may come. */
  readonly isLooking: boolean;
}

/** What fits a text: at once what is known, then what the service finds. What comes late follows what is there. */
export function useTargets(text: string, onHelp: () => void): UsedTargets {
  const local = useMemo(() => localTargets(text, onHelp), [text]);
  const [found, setFound] = useState<Found>({ text: '', of: {} });
  const [isLooking, setLooking] = useState(false);

  useEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    const look = async (title: string, finding: Promise<readonly Target[]>) => {
      try {
        const targets = await finding;
        if (signal.aborted) return;
        setFound((before) => ({
          text,
          of: { ...(before.text === text ? before.of : {}), [title]: targets },
        }));
      } catch (cause) {
        if (!signal.aborted && !isAborted(cause)) tellFailure(cause);
      }
    };
    const timer = setTimeout(async () => {
      setLooking(true);
      await Promise.all([
        look('Bases', findBases(text)),
        look('Drives', findDrives(text)),
        ...(text === ''
          ? []
          : [look('Items', findItems(text, signal)), look('Files', findFiles(text, signal))]),
      ]);
      if (!signal.aborted) setLooking(false);
    }, restMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [text]);

  const of = found.text === text ? found.of : {};
  const isNew = (targets: readonly Target[], one: Target) =>
    !targets.some((other) => other.text === one.text);
  const groups = local.map(({ title, targets }) => ({
    title,
    targets: [...targets, ...(of[title] ?? []).filter((one) => isNew(targets, one))],
  }));
  const later = ['Items', 'Files'].map((title) => ({ title, targets: of[title] ?? [] }));
  return { groups: [...groups, ...later].filter(({ targets }) => targets.length > 0), isLooking };
}
