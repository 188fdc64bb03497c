// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

/// @notice Who is told of a token's moves: an ERC-777 hook, or an attacker who gets control for one instant.
interface IMoveHook {
    function moved(address token, address from, address to, uint256 amount, bool before) external;
}

/// @notice How a token departs from the standard. All zero is an ordinary token.
struct Traits {
    bool noReturn; // transfer, transferFrom and approve return nothing (USDT)
    bool approveFromZeroOnly; // approve refuses non-zero to non-zero (USDT)
    bool falseForFailure; // says false where others revert
    bool falseAlways; // moves the money and says false
    bool twoForTrue; // says 2
    bool shortTrue; // returns a single byte
    bool noZeroApprove; // refuses approve(0) (BNB)
    bool noZeroTransfer; // refuses to move nothing (LEND)
    bool infiniteAllowance; // an allowance of 2^256-1 is never used up
    bool small; // refuses amounts above uint96, but for an unlimited approval (UNI, COMP)
    bool fallbackSelector; // swallows unknown selectors (WETH)
    uint16 feeBps; // what a transfer burns
    uint8 keeps; // wei that stay with the sender of a transfer (rounding of stETH)
    uint8 loses; // wei that do not arrive
}

/// @notice An ERC-20 with any mix of traits, switchable while a test runs. Anyone may mint.
contract Token {
    string public constant name = "Token";
    uint8 public immutable decimals;
    Traits public traits;
    uint256 public totalSupply;
    mapping(address => uint256) internal _balances;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public blocked;
    mapping(address => address) public hookOf; // ERC-777: told of moves from and to this account
    address public spy; // told of every move
    bool public paused;
    bool public unreadable; // balanceOf reverts

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    constructor(uint8 decimals_, Traits memory traits_) {
        decimals = decimals_;
        traits = traits_;
    }

    fallback() external {
        require(traits.fallbackSelector, "unknown selector");
    }

    function mint(address to, uint256 amount) public {
        totalSupply += amount;
        _balances[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function burn(address from, uint256 amount) public {
        _balances[from] -= amount;
        totalSupply -= amount;
        emit Transfer(from, address(0), amount);
    }

    function setBlocked(address account, bool yes) external {
        blocked[account] = yes;
    }

    function setHook(address account, address hook) external {
        hookOf[account] = hook;
    }

    function setSpy(address spy_) external {
        spy = spy_;
    }

    function setPaused(bool yes) external {
        paused = yes;
    }

    function setUnreadable(bool yes) external {
        unreadable = yes;
    }

    function balanceOf(address account) public view virtual returns (uint256) {
        require(!unreadable, "unreadable");
        return _balances[account];
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _finish(_move(msg.sender, to, amount));
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) _fail("allowance");
        if (!(traits.infiniteAllowance && allowed == type(uint256).max)) {
            allowance[from][msg.sender] = allowed - amount;
        }
        _finish(_move(from, to, amount));
    }

    /// @dev DAI's older name for transferFrom: why a deny-list of selectors is no boundary.
    function move(address from, address to, uint256 amount) external {
        require(allowance[from][msg.sender] >= amount, "allowance");
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        if (traits.noZeroApprove && amount == 0) _fail("approve zero");
        if (traits.approveFromZeroOnly && amount != 0 && allowance[msg.sender][spender] != 0) _fail("approve twice");
        if (traits.small && amount > type(uint96).max && amount != type(uint256).max) _fail("too large");
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        _finish(true);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        if (paused) _fail("paused");
        if (blocked[from] || blocked[to]) _fail("blocked");
        if (traits.noZeroTransfer && amount == 0) _fail("transfer zero");
        if (traits.small && amount > type(uint96).max) _fail("too large");
        if (_balances[from] < amount) _fail("balance");
        _tell(from, to, amount, true);
        uint256 kept = amount > traits.keeps ? traits.keeps : 0;
        uint256 lost = amount * traits.feeBps / 10_000 + (amount > traits.loses ? traits.loses : 0);
        _balances[from] -= amount - kept;
        _balances[to] += amount - lost;
        totalSupply = totalSupply + kept - lost;
        emit Transfer(from, to, amount - lost);
        _tell(from, to, amount, false);
        return true;
    }

    function _tell(address from, address to, uint256 amount, bool before) private {
        address hook = hookOf[before ? from : to];
        if (hook != address(0)) IMoveHook(hook).moved(address(this), from, to, amount, before);
        if (spy != address(0)) IMoveHook(spy).moved(address(this), from, to, amount, before);
    }

    /// @dev Ends the call: some tokens say false for a failure, in which case nothing has changed.
    function _fail(string memory why) private view {
        if (!traits.falseForFailure) revert(why);
        assembly {
            mstore(0, 0)
            return(0, 32)
        }
    }

    function _finish(bool yes) private view {
        uint256 word = traits.twoForTrue ? 2 : traits.falseAlways || !yes ? 0 : 1;
        uint256 size = traits.noReturn ? 0 : traits.shortTrue ? 1 : 32;
        assembly {
            mstore(0, word)
            return(0, size)
        }
    }
}

/// @notice Balances are units times an index, as of an interest-bearing or slashed token.
contract RebasingToken is Token {
    uint256 public index = 1e18;

    constructor() Token(18, _none()) {}

    function setIndex(uint256 index_) external {
        index = index_;
    }

    /// @dev Only the reading rebases; amounts moved are units. Enough to change a balance in the middle of a deposit.
    function balanceOf(address account) public view override returns (uint256) {
        return _balances[account] * index / 1e18;
    }

    function _none() private pure returns (Traits memory none) {}
}

/// @notice A second address of another token's ledger (as TUSD and SNX had).
contract DoubleEntry {
    Token public immutable ledger;

    constructor(Token ledger_) {
        ledger = ledger_;
    }

    function balanceOf(address account) external view returns (uint256) {
        return ledger.balanceOf(account);
    }
}

/// @notice Wrapped native in the manner of WETH9, which pays out with the 2,300 gas of `transfer`.
contract WrappedNative {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    receive() external payable {
        deposit();
    }

    fallback() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
    }

    function withdraw(uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        payable(msg.sender).transfer(amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        if (from != msg.sender) allowance[from][msg.sender] -= amount;
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// @notice Just enough of ERC-721, ERC-1155 and ERC-777 to have operators.
contract OperatorToken {
    mapping(address => mapping(address => bool)) public isApprovedForAll;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;

    function give(address to, uint256 id) external {
        ownerOf[id] = to;
        balanceOf[to] += 1;
    }

    function setApprovalForAll(address operator, bool yes) external {
        isApprovedForAll[msg.sender][operator] = yes;
    }

    function safeTransferFrom(address from, address to, uint256 id) public {
        require(msg.sender == from || isApprovedForAll[from][msg.sender], "operator");
        require(ownerOf[id] == from, "owner");
        ownerOf[id] = to;
        balanceOf[from] -= 1;
        balanceOf[to] += 1;
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256, bytes calldata) external {
        safeTransferFrom(from, to, id);
    }

    function operatorSend(address from, address to, uint256 id, bytes calldata, bytes calldata) external {
        safeTransferFrom(from, to, id);
    }
}
