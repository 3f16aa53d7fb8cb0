import { z } from 'zod';
import { last, limit, prefix } from '../arguments.js';
import { maxListBytes, namesPerPage } from '../bounds.js';
import { takeEntries } from '../entry-page.js';
import { structuredResult } from '../results.js';
import { defineTool, type Tool } from '../tool.js';

export const listBases = listTool('bases', 'List bases', 'bases that have items');
export const listDrives = listTool('drives', 'List drives', 'drives that have files');

/** The names of the bases or drives of the project (docs/http.md#list-bases). */
function listTool(reach: 'bases' | 'drives', title: string, what: string): Tool {
  return defineTool({
    name: `list_${reach}`,
    title,
    description: `Lists the names of the ${what}, in the order of their names. When \`last\` is in the result, more follow.`,
    reach,
    input: z.strictObject({ prefix, limit: limit(namesPerPage), last }),
    output: z.object({ [reach]: z.array(z.string()), last: z.string().optional() }),
    async run(project, { limit: maxNames, ...options }, signal) {
      const names: string[] = [];
      for await (const name of project[reach]({ ...options, signal })) {
        // One more says that the page is not the last one.
        if (names.push(name) > maxNames) break;
      }
      const page = takeEntries(names.slice(0, maxNames), maxListBytes);
      return structuredResult({
        [reach]: page,
        ...(page.length < names.length && { last: page.at(-1) }),
      });
    },
  });
}
