import { Component, type VNode } from 'preact';

interface KeptRowProps {
  /** What the row is made from. While it is identical, the row is not made again. */
  readonly parts: readonly unknown[];
  make(): VNode;
}

/**
 * A row that is drawn again only when its parts change. It is a component because a node that is kept by itself would keep
 * everything that was shown when it was made.
 */
export class KeptRow extends Component<KeptRowProps> {
  override shouldComponentUpdate({ parts }: KeptRowProps): boolean {
    const before = this.props.parts;
    return parts.length !== before.length || parts.some((part, at) => !Object.is(part, before[at]));
  }

  override render({ make }: KeptRowProps): VNode {
    return make();
  }
}
