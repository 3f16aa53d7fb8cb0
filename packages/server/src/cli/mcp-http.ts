import { readFile } from 'node:fs/promises';
import type { Environment } from '../config/settings.js';
import { type ListenAddress, listenAddress } from '../config/values.js';
import { mcpTokenVariable } from '../config/variables.js';
import { OperatorError } from '../operator-error.js';
import { isLoopback } from './loopback.js';

/** The options of `mcp` that are about HTTP. */
export interface HttpOptions {
  readonly http?: string;
  readonly tokenFile?: string;
}

/** Where `mcp --http` listens, and the token that requests must have. */
export interface HttpListener extends ListenAddress {
  readonly token: string | undefined;
  /** Whether others than the programs of this machine can reach it. */
  readonly isPublic: boolean;
}

/** What RFC 6750 allows in a header. */
const tokenCharacters = /^[\w\-.~+/]+=*$/;
/** 128 random bits have this many hexadecimal digits. */
const leastTokenLength = 32;

/**
 * Gives where the options say to listen; undefined if they name none. The token comes from the file, else from the
 * variable. Throws `OperatorError`, also for an address that others reach if there is no token; its message never holds
 * the token.
 */
export async function httpListener(
  { http, tokenFile }: HttpOptions,
  environment: Environment,
): Promise<HttpListener | undefined> {
  if (http === undefined) {
    if (tokenFile === undefined) return undefined;
    throw new OperatorError('--token-file: is for --http');
  }
  const address = addressOf(http);
  const token = await readToken(tokenFile, environment);
  const isPublic = !isLoopback(address.host);
  if (isPublic && token === undefined) {
    throw new OperatorError(
      `--http ${http}: others may reach this address: give a token (--token-file or ${mcpTokenVariable}), or an` +
        ' address of this machine only, such as 127.0.0.1:8090',
    );
  }
  return { ...address, token, isPublic };
}

function addressOf(given: string): ListenAddress {
  try {
    return listenAddress([given]);
  } catch (cause) {
    throw new OperatorError(`--http ${given}: must be an address and a port, such as 127.0.0.1:8090`, {
      cause,
    });
  }
}

async function readToken(file: string | undefined, environment: Environment): Promise<string | undefined> {
  const name = file === undefined ? mcpTokenVariable : `--token-file ${file}`;
  const given = file === undefined ? environment[mcpTokenVariable] : await readTokenFile(file);
  const token = given?.trim();
  // An empty variable is one that is not set. An empty file is a mistake.
  if (token === undefined || (token === '' && file === undefined)) return undefined;
  if (!tokenCharacters.test(token)) {
    throw new OperatorError(`${name}: a token is one line of letters, digits and -._~+/, with = at its end`);
  }
  if (token.length < leastTokenLength) {
    throw new OperatorError(`${name}: a token has ${leastTokenLength} characters or more, which are random`);
  }
  return token;
}

async function readTokenFile(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((cause: Error) => {
    throw new OperatorError(`--token-file: ${file} cannot be read: ${cause.message}`, { cause });
  });
}
