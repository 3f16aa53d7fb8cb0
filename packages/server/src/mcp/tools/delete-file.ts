import { z } from 'zod';
import { drive, fileName } from '../arguments.js';
import { structuredResult } from '../results.js';
import { defineTool } from '../tool.js';

/** Deletes a file (docs/http.md#delete-files). */
export const deleteFile = defineTool({
  name: 'delete_file',
  title: 'Delete a file',
  description: 'Deletes a file. It is no error if there is none of this name.',
  reach: 'drives',
  writes: { destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ drive, name: fileName }),
  output: z.object({ name: z.string() }),
  async run(project, input, signal) {
    return structuredResult({ name: await project.drive(input.drive).delete(input.name, { signal }) });
  },
});
