import { client } from '../api/session.js';
import { useRead } from '../ui/use-read.js';

/** The names of the first thousand keys of the project, by their ids. A key without a name has none. */
export function useKeyNames(): ReadonlyMap<string, string | undefined> {
  const { value = new Map() } = useRead(async () => {
    const { keys } = await client().keys.page();
    return new Map(keys.map(({ id, name }) => [id, name]));
  }, []);
  return value;
}
