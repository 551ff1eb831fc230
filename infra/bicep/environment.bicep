// How main.bicepparam reads what azd has in its environment, where a variable that is empty is as good as none.

@export()
@description('A text, or what stands for it where it is empty.')
func textOf(value string, otherwise string) string => empty(value) ? otherwise : value

@export()
@description('A list of texts separated by commas.')
func listOf(value string) string[] => empty(value) ? [] : map(split(value, ','), each => trim(each))
