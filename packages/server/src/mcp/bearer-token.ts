import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokenVerifier,
  verifyBearerToken,
} from '@modelcontextprotocol/server';

/** Gives true for a request with the token. Answers any other request with 401. */
export type CheckToken = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** Makes the check of `Authorization: Bearer …` (docs/agents.md#over-http). Without a token, every request passes. */
export function createTokenCheck(token: string | undefined): CheckToken {
  if (token === undefined) return async () => true;
  const expected = digest(token);
  const verifier: OAuthTokenVerifier = {
    async verifyAccessToken(given) {
      // Digests have one length, so comparing them takes the same time wherever they differ.
      if (!timingSafeEqual(digest(given), expected)) {
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'The token is not the one of this service');
      }
      return { token: given, clientId: '', scopes: [], expiresAt: Number.POSITIVE_INFINITY };
    },
  };
  return async ({ headers }, response) => {
    try {
      await verifyBearerToken(headers.authorization, { verifier });
      return true;
    } catch (cause) {
      const answer = bearerAuthChallengeResponse(cause);
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
      return false;
    }
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
