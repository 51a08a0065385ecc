// The commands of payctl as data: what each takes, does and prints (JSON for programs, lines for
// people).
import { Option, type Command } from 'commander';
import { printStory } from './print';
import { checkLogin } from './login';
import { inSession, type Session } from './session';

/** Adds a command, or a noun with its verbs, below another command. */
type AddCommand = (parent: Command) => void;

interface Verb<Given extends readonly unknown[], Answer extends object, Work> {
  readonly does: string;
  readonly usage?: string;
  readonly options?: readonly Option[];
  /** Printed below the help. */
  readonly help?: string;
  /** Verbs below this one. None of its options may be mandatory. */
  readonly verbs?: readonly AddCommand[];
  /** The JSON for programs, if it is not the whole answer. */
  readonly json?: (answer: Answer, given: Given) => object;
  /** @param given the arguments, then the options */
  readonly lines: (answer: Answer, given: Given) => readonly string[];
  /** Checks the options first: wrong usage exits 2 also where settings are missing. */
  readonly work: (...given: Given) => Work;
  /** Runs after the answer is printed. @throws Rejection if the answer must not exit 0 */
  readonly after?: (answer: Answer) => void;
}

const ARGUMENTS: Readonly<Record<string, string>> = {
  '<partner>': 'the partner_id',
  '<corridor>': 'th_qrpay or vn_qrpay',
  '<intent>': 'the intent_id',
  '<approval>': 'the id, as "payctl approvals list" shows it',
  '<key_id>': 'the key_id, as "payctl keys list" shows it',
  '<request_id>': 'the X-Request-Id of the response',
  '<method>': 'the HTTP method, such as POST',
  '<path>': 'the path, such as /v1/payment_intents, or the full URL',
  '[intent]': 'the intent_id in the path of the request (default: that of the token)',
  '[partner]': 'the partner_id',
  '[event_id]': 'the event_id, which the partner received as webhook-id',
};

export function noun(name: string, does: string, verbs: readonly AddCommand[]): AddCommand {
  return (payctl) => {
    const command = payctl.command(name).description(does);
    for (const add of verbs) add(command);
  };
}

/** @param name with its arguments, such as `show <partner>` */
export function verb<Given extends readonly unknown[], Answer extends object>(
  name: string,
  { work, ...declaration }: Verb<Given, Answer, (session: Session) => Promise<Answer>>,
): AddCommand {
  return verbAlone<Given, Answer>(name, {
    ...declaration,
    work: async (...given) => {
      const task = work(...given);
      return inSession(async (session) => {
        await checkLogin(session.database, isNamed(given));
        return task(session);
      });
    },
  });
}

/** Whether `--as` was given. Commander passes the options as the last but one. */
function isNamed(given: readonly unknown[]): boolean {
  const options = given.at(-2);
  return typeof options === 'object' && options !== null && 'as' in options;
}

/** A verb that needs no database and no settings. */
export function verbAlone<Given extends readonly unknown[], Answer extends object>(
  name: string,
  declared: Verb<Given, Answer, Promise<Answer>>,
): AddCommand {
  const [word = '', ...args] = name.split(' ');
  const { does, usage, options = [], help, verbs = [], work, json, lines, after } = declared;
  return (parent) => {
    const command = parent.command(word).description(does);
    if (usage !== undefined) command.usage(usage);
    for (const arg of args) command.argument(arg, ARGUMENTS[arg]);
    for (const each of options) command.addOption(each);
    if (help !== undefined) command.addHelpText('after', help);
    for (const add of verbs) add(command);
    command.option('--json', 'print JSON').action(async (...given: [...Given]) => {
      const answer = await work(...given);
      const isJson = command.opts<{ readonly json?: boolean }>().json === true;
      printStory(json?.(answer, given) ?? answer, isJson, () => lines(answer, given));
      after?.(answer);
    });
  };
}

export function option(flags: string, description: string): Option {
  return new Option(flags, description);
}

export function required(flags: string, description: string): Option {
  return new Option(flags, description).makeOptionMandatory();
}
