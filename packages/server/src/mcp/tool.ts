import type {
  CallToolResult,
  McpServer,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { BasedriveError } from '#client';
import type { Project } from './project.js';
import { failedResult, failureOf } from './results.js';

/** A tool that does not know yet which project it is for. */
export interface Tool {
  readonly name: string;
  /** What the key must reach. */
  readonly reach: 'bases' | 'drives' | 'any';
  readonly writes: boolean;
  register(server: McpServer, project: Project, report: (line: string) => void): void;
}

interface Definition<Input extends z.ZodType, Output extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  /** For a model: what the tool does, and when its result is not the whole. */
  readonly description: string;
  readonly reach: Tool['reach'];
  /** Absent: the tool only reads. */
  readonly writes?: Pick<ToolAnnotations, 'destructiveHint' | 'idempotentHint'>;
  readonly input: Input;
  /** The form of `structuredContent`, if the result has one. */
  readonly output?: Output;
  run(project: Project, input: z.output<Input>, signal: AbortSignal): Promise<CallToolResult>;
}

/** Makes a tool. What its `run` throws becomes a result with `isError`, because a model can act on that. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType>(
  definition: Definition<Input, Output>,
): Tool {
  const { name, title, description, reach, writes, input, output, run } = definition;
  const annotations: ToolAnnotations = {
    readOnlyHint: writes === undefined,
    ...(writes ?? { destructiveHint: false, idempotentHint: true }),
    openWorldHint: false,
  };
  return {
    name,
    reach,
    writes: writes !== undefined,
    register(server, project, report) {
      const config = {
        title,
        description,
        annotations,
        inputSchema: input as StandardSchemaWithJSON,
        outputSchema: output as StandardSchemaWithJSON | undefined,
      };
      server.registerTool(name, config, async (given: unknown, { mcpReq }) => {
        try {
          return await run(project, given as z.output<Input>, mcpReq.signal);
        } catch (cause) {
          if (cause instanceof BasedriveError) return failureOf(cause);
          report(`${name}: ${cause instanceof Error ? cause.stack : String(cause)}`);
          return failedResult('Internal error');
        }
      });
    },
  };
}
