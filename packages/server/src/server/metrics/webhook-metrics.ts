import { Counter, type Registry } from 'prom-client';
import type { OnSent } from '../../hooks/delivery.js';

export interface WebhookMetrics {
  readonly onSent: OnSent;
}

/** What the webhooks have sent that this server delivers. */
export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  const messages = new Counter({
    name: 'basedrive_webhook_messages_total',
    help: 'Messages with changes that webhooks have sent, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const changes = new Counter({
    name: 'basedrive_webhook_changes_total',
    help: 'Changes that receivers of webhooks have taken.',
    registers,
  });
  for (const outcome of ['delivered', 'failed']) messages.inc({ outcome }, 0);
  return {
    onSent(outcome, sent) {
      messages.inc({ outcome });
      if (outcome === 'delivered') changes.inc(sent);
    },
  };
}
