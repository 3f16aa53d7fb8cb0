import { useEffect, useState } from 'preact/hooks';
import { client } from '../api/session.js';

/** The names of the first thousand keys of the project, by their ids. A key without a name has none. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    let isGone = false;
    client()
      .keys.page()
      .then(
        ({ keys }) => {
          if (isGone) return;
          setNames(
            new Map(keys.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name] as const]))),
          );
        },
        () => {},
      );
    return () => {
      isGone = true;
    };
  }, []);
  return names;
}
