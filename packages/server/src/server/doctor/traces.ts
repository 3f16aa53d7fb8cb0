import type { Environment, Settings } from '../../config/settings.js';
import { type Finding, failed, ok, warning } from '../../lib/finding.js';
import { OperatorError } from '../../operator-error.js';
import { collectorUrl } from '../traces/collector.js';

const answersWithinMs = 3000;

/** With `--traces on`: whether the variables are right, and whether the collector answers. Sends it no trace. */
export async function traces(settings: Settings, environment: Environment): Promise<readonly Finding[]> {
  if (settings.traces === 'off') return [];
  let url: string;
  try {
    url = collectorUrl(environment);
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    return [failed('traces', cause.message, 'Correct the variable: the server does not start with it.')];
  }
  const advice = 'Correct OTEL_EXPORTER_OTLP_ENDPOINT, or start the collector. Requests work without it.';
  try {
    const { status } = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"resourceSpans":[]}',
      signal: AbortSignal.timeout(answersWithinMs),
    });
    // The headers of the variables are left to the SDK, so a collector may ask for them.
    const answers = status < 300 || status === 401 || status === 403;
    return [
      answers
        ? ok('traces', `${url} answers`)
        : warning('traces', `${url} answers with status ${status}`, advice),
    ];
  } catch {
    return [warning('traces', `${url} does not answer`, advice)];
  }
}
