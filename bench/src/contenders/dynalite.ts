import { join } from 'node:path';
import type { RequestTemplate } from '../load/request-template.js';
import { must } from '../load/send.js';
import { freePort } from '../processes/free-port.js';
import { missingPackage, peersFolder } from '../processes/installed.js';
import { startServer } from '../processes/server-process.js';
import { type Contender, hotKey } from './contender.js';
import { keylessItem } from './item.js';

const program = join(peersFolder, 'node_modules', 'dynalite', 'cli.js');

const table = { TableName: 'items' };

/** The item as one text attribute: DynamoDB needs a type for every value. */
function item(slot: number): object {
  return { key: { S: `{key:${slot}}` }, text: { S: keylessItem } };
}

/** Dynalite requires a signature but does not verify it. */
function call(operation: string, body: object): RequestTemplate {
  return {
    method: 'POST',
    path: '/',
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': `DynamoDB_20120810.${operation}`,
      'X-Amz-Date': '20260101T000000Z',
      Authorization:
        'AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none',
    },
    body: JSON.stringify(body),
  };
}

/** DynamoDB's API in Node. */
export const dynalite: Contender = {
  name: 'dynalite',
  about: 'DynamoDB API in Node on LevelDB; writes are not synced',
  missing: () => missingPackage('dynalite'),
  async start(folder) {
    const port = await freePort();
    const args = [program, '--host', '127.0.0.1', '--port', String(port), '--path', join(folder, 'level')];
    const running = await startServer({
      name: 'dynalite',
      command: process.execPath,
      args: [...args, '--createTableMs', '0'],
      folder,
      port,
    });
    const createTable = call('CreateTable', {
      TableName: 'items',
      AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    });
    // 400: the table exists.
    await must(running.url, createTable, 200, 400);
    return running;
  },
  items: {
    get: {
      request: call('GetItem', { ...table, Key: { key: { S: '{key}' } } }),
      status: 200,
      includes: ['"S":"{key}"'],
    },
    put: { request: call('PutItem', { ...table, Item: item(0) }), status: 200, includes: ['{}'] },
    put25: {
      request: call('BatchWriteItem', {
        RequestItems: {
          items: Array.from({ length: 25 }, (_, slot) => ({ PutRequest: { Item: item(slot) } })),
        },
      }),
      status: 200,
      includes: ['"UnprocessedItems":{}'],
    },
    insert: {
      request: call('PutItem', {
        ...table,
        Item: item(0),
        ConditionExpression: 'attribute_not_exists(#k)',
        ExpressionAttributeNames: { '#k': 'key' },
      }),
      status: 200,
      includes: ['{}'],
    },
    increment: {
      request: call('UpdateItem', {
        ...table,
        Key: { key: { S: String(hotKey) } },
        UpdateExpression: 'ADD hits :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      }),
      status: 200,
      includes: ['{}'],
    },
  },
};
