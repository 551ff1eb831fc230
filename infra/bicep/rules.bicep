// The rules that parameters keep, where a decorator cannot say them. Terraform's are the same
// (infra/terraform/rules.tf), and tests hold both together.

var digits = '0123456789'
var lower = 'abcdefghijklmnopqrstuvwxyz${digits}-'

@export()
@description('What an origin is, as it is told to whoever gives another.')
var originRule = 'an origin is http:// or https://, a host in lower case, a port if need be, and nothing after it'

@export()
@description('What a queue is, as it is told to whoever gives another name.')
var queueRule = 'a queue has 3 to 63 lower-case letters, digits and single dashes, and no dash first or last'

@export()
@description('Why some queues take no replies, as it is told to whoever gives one.')
var ownQueueRule = 'queues of the app, and those that end in -poison, are not for replies'

@export()
@description('Whether a text has no character but these.')
func isMadeOf(text string, characters string) bool =>
  empty(filter(range(0, length(text)), at => !contains(characters, substring(text, at, 1))))

@export()
@description('Whether a queue may have this name: the rule of the app, too (shared/domain/text_rules.py).')
func isQueue(name string) bool =>
  length(name) >= 3 && length(name) <= 63 && isMadeOf(name, lower) && !contains(name, '--') && isBetweenDashes(name)

@export()
@description('Whether a text is what a browser sends as the origin of a page: nothing else would ever match.')
func isOrigin(text string) bool =>
  contains(['http', 'https'], split(text, '://')[0]) && isHostAndPort(join(skip(split(text, '://'), 1), '://'))

@export()
@description('Whether a text is a number as settings.json writes them.')
func isNumber(text string) bool =>
  length(split(text, '.')) <= 2 && empty(filter(split(text, '.'), part => empty(part) || !isMadeOf(part, digits)))

@export()
@description('How entries that are refused are told.')
func quoted(entries string[]) string => '\'${join(entries, '\', \'')}\''

func isBetweenDashes(text string) bool => !startsWith(text, '-') && !endsWith(text, '-')

func isHostAndPort(text string) bool =>
  isHost(split(text, ':')[0]) && (!contains(text, ':') || isPort(skip(text, indexOf(text, ':') + 1)))

func isHost(text string) bool =>
  empty(filter(
    split(text, '.'),
    label => empty(label) || length(label) > 63 || !isMadeOf(label, lower) || !isBetweenDashes(label)
  ))

// Whether there is such a port does not matter: no page comes from one that there is not.
func isPort(text string) bool => !empty(text) && length(text) <= 5 && isMadeOf(text, digits)
