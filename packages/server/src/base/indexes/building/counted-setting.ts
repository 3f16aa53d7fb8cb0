import { headerKey, type ItemStore } from '../../../engines/item-store.js';
import { HeadersUnsupported } from '../../../engines/storage-errors.js';
import { refused } from '../../../request-error.js';
import { type Declarations, readDeclarations } from '../declarations/declarations.js';
import { headerChange, type IndexWork } from './background-work.js';

/** Whether a base is to be counted, whatever indexes it has (docs/http.md#statistics). */
export interface CountedSetting {
  get(space: string): Promise<boolean>;
  /**
   * From the answer on, every write keeps the counter of the base in step. What was there before is counted in the
   * background. Throws a 409 `RequestError` if the storage has no way to tell all writers.
   */
  set(space: string, counted: boolean): Promise<void>;
}

export function createCountedSetting(items: ItemStore, work: IndexWork): CountedSetting {
  return {
    get: async (space) => readDeclarations(await items.get(space, headerKey)).counted === true,
    async set(space, counted) {
      const setting = items.transact(space, [headerKey], ([header]) => {
        const { counted: before = false, ...others } = readDeclarations(header);
        if (before === counted) return { result: undefined };
        const next: Declarations = counted ? { ...others, counted } : others;
        return { ...headerChange(next), result: undefined };
      });
      await setting.catch((cause) => {
        throw cause instanceof HeadersUnsupported ? refused('settings_unsupported', cause.message) : cause;
      });
      work.start(space);
    },
  };
}
