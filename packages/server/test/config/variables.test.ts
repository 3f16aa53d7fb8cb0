import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknownVariables } from '../../src/config/variables.js';

test('a variable that is nearly the name of a setting is reported with that name', () => {
  const lines = (name: string) => unknownVariables({ [name]: '1', PATH: '/bin' });
  assert.deepEqual(lines('BASEDRIVE_PROT'), [
    'unknown variable BASEDRIVE_PROT: did you mean BASEDRIVE_PORT?',
  ]);
  assert.deepEqual(lines('BASEDRIVE_KEYS'), ['unknown variable BASEDRIVE_KEYS: did you mean BASEDRIVE_KEY?']);
  assert.deepEqual(lines('BASEDRIVE_COPY_FORM'), [
    'unknown variable BASEDRIVE_COPY_FORM: did you mean BASEDRIVE_COPY_FROM?',
  ]);
  assert.deepEqual(lines('BASEDRIVE_THREADS'), ['unknown variable BASEDRIVE_THREADS (see --help)']);
});

test('variables of settings, of copy, of engines, of the client library and of Kubernetes are not reported', () => {
  const names = [
    'BASEDRIVE_DATA',
    'BASEDRIVE_COPY_TO',
    'BASEDRIVE_S3_REGION',
    'BASEDRIVE_URL',
    'BASEDRIVE_MCP_TOKEN',
    'BASEDRIVE_SERVICE_HOST',
    'BASEDRIVE_SERVICE_PORT_HTTPS',
    'BASEDRIVE_PORT_8080_TCP_PROTO',
    'BASEDRIVE_DB_SERVICE_PORT',
  ];
  assert.deepEqual(unknownVariables(Object.fromEntries(names.map((name) => [name, '1']))), []);
  assert.deepEqual(unknownVariables({ BASEDRIVE_DB_PORT: 'tcp://10.0.0.2:5432' }), []);
});
