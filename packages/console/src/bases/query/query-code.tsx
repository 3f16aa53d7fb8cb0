import { useState } from 'preact/hooks';
import { serviceAddress } from '../../api/address.js';
import { quotedAddress } from '../../api/command.js';
import { compact, indent } from '../../exact/print.js';
import { route, stepTo } from '../../router.js';
import { ActDialog } from '../../ui/act-dialog.js';
import { CodeBlock } from '../../ui/copy.js';
import { Tabs } from '../../ui/tabs.js';
import { readOrder } from '../order.js';
import { everything, readQuery } from './model.js';

type Tab = 'json' | 'curl' | 'client';

/** The query of the view as JSON, which can be edited, as a command and as code of the client library. */
export function QueryCode({ base, onClose }: { readonly base: string; onClose(): void }) {
  const { query = everything, order = '' } = route.value.parameters;
  const [tab, setTab] = useState<Tab>('json');
  const [text, setText] = useState(() => (readQuery(query) === undefined ? query : indent(query)));
  const problem = readQuery(text) === undefined ? 'A query is an object, or a list of objects' : undefined;
  const apply = () => {
    const json = compact(text);
    stepTo({ query: json === everything ? '' : json });
    onClose();
  };
  return (
    <ActDialog
      title="Query"
      form="wide"
      verb="Apply"
      isReady={problem === undefined}
      onAct={apply}
      onClose={onClose}
    >
      <Tabs<Tab>
        label="Form of the query"
        chosen={tab}
        onChoose={setTab}
        tabs={{ json: 'JSON', curl: 'curl', client: 'JavaScript' }}
      />
      {tab === 'json' && (
        <>
          <textarea
            class="input mono query-json"
            aria-label="Query as JSON"
            aria-invalid={problem !== undefined}
            rows={10}
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <p class={problem === undefined ? 'hint' : 'problem'} role="status">
            {problem ?? 'Conditions of an object must all hold; of several objects, one is enough.'}
          </p>
        </>
      )}
      {tab === 'curl' && problem === undefined && (
        <CodeBlock label="command" code={curlFor(base, compact(text), order)} />
      )}
      {tab === 'client' && problem === undefined && (
        <CodeBlock label="code" code={clientFor(base, compact(text), order)} />
      )}
    </ActDialog>
  );
}

function curlFor(base: string, query: string, order: string): string {
  const { order: paths, isDescending } = readOrder(order);
  const members = [
    `"query":${query}`,
    ...(paths.length === 0 ? [] : [`"order":${JSON.stringify(paths)}`]),
    ...(isDescending ? ['"sort":"desc"'] : []),
  ];
  // A quote within the JSON ends the shell's string, is escaped, and begins it again.
  const body = `{${members.join(',')}}`.replaceAll("'", `'\\''`);
  return `curl -X POST ${quotedAddress([base, 'query'])} \\
  -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \\
  -d '${body}'`;
}

function clientFor(base: string, query: string, order: string): string {
  const { order: paths, isDescending } = readOrder(order);
  const options = [
    ...(paths.length === 0 ? [] : [`order: ${JSON.stringify(paths)}`]),
    ...(isDescending ? ['desc: true'] : []),
  ];
  const given = options.length === 0 ? '' : `, { ${options.join(', ')} }`;
  return `import { Basedrive } from 'basedrive-client';

const { Base } = Basedrive(process.env.KEY, { url: '${serviceAddress}' });
for await (const item of Base(${JSON.stringify(base)}).items(${indent(query)}${given})) {
  console.log(item.key);
}`;
}
