// The check of PromQL in alarms and dashboard (test/support/docs/promql.ts) still reports faults.
import { exposedSeries, type Series } from '../../support/docs/exposed-metrics';
import { faultsOf } from '../../support/docs/promql';

let series: readonly Series[];
beforeAll(async () => {
  series = await exposedSeries();
});

it.each([
  'max(payments_needing_attention) > 0',
  'absent(holding_balance_usd_cents)',
  'max by (attention) (payments_slow_to_settle{attention!="raised"})',
  'sum(rate(http_request_duration_seconds_count{status=~"5..", method="POST"}[5m])) > 0',
  'histogram_quantile(0.99, sum by (le, route) (rate(http_request_duration_seconds_bucket[5m])))',
])('accepts %s', (expression) => {
  expect(faultsOf(expression, series)).toEqual([]);
});

it.each([
  ['max(payouts_stopped > 0', 'is not PromQL'],
  ['max(payouts_stopped) >', 'is not PromQL'],
  ['maximum(payouts_stopped)', 'is not PromQL'],
  ['max(payouts_held_up) > 0', 'payouts_held_up matches no series'],
  ['max(payouts_stopped{corridor="th_qrpay"})', 'matches no series'],
  ['max(payments_slow_to_settle{attention="yes"}) > 0', 'matches no series'],
  ['sum(rate(http_request_duration_seconds_count{status=~"5"}[5m]))', 'matches no series'],
  ['sum(rate(http_request_duration_seconds[5m]))', 'matches no series'],
  ['max(webhook_attempts_total) > 0', 'is a counter'],
  ['rate(payouts_stopped[5m]) > 0', 'is a gauge'],
  ['sum by (partner) (rate(webhook_attempts_total[5m]))', 'groups by partner'],
])('rejects %s', (expression, fault) => {
  expect(faultsOf(expression, series)).toEqual([expect.stringContaining(fault)]);
});
