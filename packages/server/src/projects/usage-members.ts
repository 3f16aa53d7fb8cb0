import { count } from '../http/routing/operation.js';
import { described, object, optional, text, truth } from '../json/schema.js';
import type { ProjectQuota } from '../quotas/ledger.js';
import { QuotaMembers, quotaMembersOf } from './quota-body.js';
import type { Usage } from './usage.js';

/** What a project has stored, as answers have it. */
export const UsageResponse = object({
  name: text,
  items: count,
  item_bytes: described(count, 'Of the stored JSON of the items'),
  files: count,
  file_bytes: described(count, 'Of files, those in the trash, and the parts of open uploads'),
  trash_bytes: described(count, 'Of `file_bytes`: in the trash'),
  upload_bytes: described(count, 'Of `file_bytes`: the parts of open uploads'),
  quota: optional(object(QuotaMembers)),
  exact: described(truth, 'false: a base was counted earlier, or not yet'),
});

export function usageMembersOf(name: string, usage: Usage, quota: ProjectQuota | undefined) {
  return {
    name,
    items: usage.items,
    item_bytes: usage.itemBytes,
    files: usage.files,
    file_bytes: usage.fileBytes,
    trash_bytes: usage.trashBytes,
    upload_bytes: usage.uploadBytes,
    ...(quota && { quota: quotaMembersOf(quota) }),
    exact: usage.exact,
  };
}
