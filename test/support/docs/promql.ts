// Checks a PromQL expression by Prometheus' grammar and our metrics: it parses, its series exist
// with the named labels, and counters are used with a rate and gauges without.
import { parser } from '@prometheus-io/lezer-promql';
import type { Series } from './exposed-metrics';

const strict = parser.configure({ strict: true });
type SyntaxNode = ReturnType<typeof strict.parse>['topNode'];

interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

interface Selector {
  readonly text: string;
  readonly name: string;
  readonly matchers: readonly Matcher[];
  /** Inside `rate` or `increase`, or beside `unless`, which asks for new series. */
  readonly isOfGrowth: boolean;
}

/** The problems of the expression as sentences; empty when there are none. */
export function faultsOf(expression: string, series: readonly Series[]): readonly string[] {
  const text = ({ from, to }: SyntaxNode) => expression.slice(from, to);
  let selectors: readonly Selector[];
  let groupedBy: readonly string[];
  try {
    const all = nodesIn(expression);
    const named = (name: string) => all.filter((node) => node.name === name);
    selectors = named('VectorSelector').map((node) => selectorOf(node, text));
    groupedBy = named('GroupingLabels').flatMap((node) => node.getChildren('LabelName').map(text));
  } catch (error) {
    return [`${expression} is not PromQL: ${String(error)}`];
  }
  const found = selectors.map((selector) => series.filter((one) => isSelected(one, selector)));
  // Prometheus adds `instance` to every series.
  const labels = new Set(['instance', ...found.flat().flatMap((one) => Object.keys(one.labels))]);
  return [
    ...selectors.flatMap((selector, index) => faultsOfSelector(selector, found[index] ?? [])),
    ...groupedBy
      .filter((label) => !labels.has(label))
      .map((label) => `${expression} groups by ${label}, a label that none of its series has`),
  ];
}

/** @throws SyntaxError for an invalid expression */
function nodesIn(expression: string): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  strict.parse(expression).iterate({
    enter: ({ node }) => {
      nodes.push(node);
    },
  });
  return nodes;
}

function selectorOf(node: SyntaxNode, text: (node: SyntaxNode) => string): Selector {
  const name = node.getChild('Identifier');
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  return {
    text: text(node),
    name: name === null ? '' : text(name),
    matchers: matchers.map((matcher) => {
      const [label = '', operator = '', value = ''] = childrenOf(matcher).map(text);
      return { label, operator, value: value.slice(1, -1) };
    }),
    isOfGrowth:
      isBesideUnless(node) ||
      functionsAround(node).some((around) => /^(rate|increase)$/.test(text(around))),
  };
}

function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

function functionsAround(node: SyntaxNode): readonly SyntaxNode[] {
  const names: SyntaxNode[] = [];
  for (let around = node.parent; around !== null; around = around.parent) {
    const name = around.getChild('FunctionIdentifier');
    if (name !== null) names.push(name);
  }
  return names;
}

function isBesideUnless(node: SyntaxNode): boolean {
  for (let around = node.parent; around !== null; around = around.parent) {
    if (around.name === 'BinaryExpr' && around.getChild('Unless') !== null) return true;
  }
  return false;
}

function isSelected({ name, labels }: Series, selector: Selector): boolean {
  return name === selector.name && selector.matchers.every((matcher) => isMatched(labels, matcher));
}

/**
 * A missing label does not match. Prometheus treats it as empty, but in our expressions it would be
 * a mistake.
 */
function isMatched(labels: Series['labels'], { label, operator, value }: Matcher): boolean {
  const has = labels[label];
  if (has === undefined) return false;
  const isSame = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(has) : has === value;
  return operator.startsWith('!') ? !isSame : isSame;
}

function faultsOfSelector(selector: Selector, found: readonly Series[]): readonly string[] {
  if (found.length === 0) return [`${selector.text} matches no series that we serve`];
  const isCounter = found.some(({ kind }) => kind === 'counter');
  if (isCounter === selector.isOfGrowth) return [];
  return [
    isCounter
      ? `${selector.text} is a counter: use rate or increase`
      : `${selector.text} is a gauge: do not use rate or increase`,
  ];
}
