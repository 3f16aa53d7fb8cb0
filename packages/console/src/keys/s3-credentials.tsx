import { useState } from 'preact/hooks';
import { CodeBlock } from '../ui/copy.js';
import { Tabs } from '../ui/tabs.js';
import { type Recipe, recipeOf, s3Endpoint } from './s3-recipes.js';

interface S3CredentialsProps {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What S3 clients are configured with, each to copy, and lines that work as they stand: docs/s3.md */
export function S3Credentials({ accessKeyId, secretAccessKey }: S3CredentialsProps) {
  const [chosen, setChosen] = useState<Recipe>('aws');
  return (
    <>
      <dl class="facts s3-credentials">
        <dt>Endpoint</dt>
        <dd>
          <CodeBlock code={s3Endpoint()} label="the endpoint" isWrapped />
        </dd>
        <dt>Access key id</dt>
        <dd>
          <CodeBlock code={accessKeyId} label="the access key id" isWrapped />
        </dd>
        <dt>Secret access key</dt>
        <dd>
          <CodeBlock code={secretAccessKey} label="the secret access key" isWrapped />
        </dd>
      </dl>
      <Tabs<Recipe>
        label="S3 client"
        chosen={chosen}
        onChoose={setChosen}
        tabs={{ aws: 'aws', rclone: 'rclone' }}
      />
      <CodeBlock code={recipeOf(chosen, { accessKeyId, secretAccessKey })} label="the commands" />
    </>
  );
}
