// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IDepositRouter, IExecutor, Order, Step} from "./IDepositRouter.sol";
import {Intruder} from "./Intruder.sol";
import {RouterTest} from "./RouterTest.sol";
import {Token, Traits, WrappedNative} from "./Tokens.sol";
import {BehaviourVault, Mode, OpenZeppelinVault, SolmateVault} from "./Vaults.sol";

/// @notice Drives the Router in every combination of token, vault and roles, honestly and not, and counts each breach of
/// an invariant where it can only be seen in the middle. It never reverts: a refused deposit is an outcome.
contract Handler is RouterTest {
    uint256 public constant TOKENS = 6;
    uint256 public constant VAULTS = 9;
    uint256 private constant START = 1_000_000e18;

    Token[] public tokens; // ordinary, ordinary with other decimals, USDT with a fee, stETH, ERC-777, BNB
    mapping(uint256 => address[]) internal _vaults; // by token
    address[5] internal _people = [alice, bob, carol, person("dave"), person("erin")];
    Intruder public intruder;
    WrappedNative public weth;
    BehaviourVault public wethVault;
    address[] public clones;

    // Outcomes, so that a green run can be shown not to be empty.
    uint256 public attempts;
    uint256 public successes;
    uint256 public attacks;
    uint256 public intrusions;
    mapping(uint256 => mapping(uint256 => uint256)) public wins; // by token and vault
    mapping(uint256 => mapping(uint256 => uint256)) public losses;

    // Breaches, by invariant.
    uint256 public heldByUs; // I1
    uint256 public allowanceLeft; // I2
    uint256 public sharesShort; // I4
    uint256 public paidTooMuch; // I5
    uint256 public executorDriven; // I6
    uint256 public notConserved; // I7
    uint256 public nested; // I8

    struct Plan {
        uint256 tokenIndex;
        uint256 vaultIndex;
        Token token;
        address vault;
        address sender;
        address clone;
        uint256 senderBefore;
        uint256 sharesBefore;
        uint256 totalBefore;
        uint256 donated;
        Order d;
    }

    function setUp() public override {
        super.setUp();
        intruder = new Intruder();
        weth = new WrappedNative();
        wethVault = new BehaviourVault(address(weth), Mode.Honest);
        for (uint256 i = 0; i < TOKENS; ++i) {
            Traits memory t;
            if (i == 2) (t.noReturn, t.approveFromZeroOnly, t.feeBps) = (true, true, 50);
            if (i == 3) (t.keeps, t.loses) = (1, 2);
            if (i == 5) t.noZeroApprove = true;
            Token made = new Token(i == 1 ? 6 : 18, t);
            if (i == 4) made.setSpy(address(intruder));
            tokens.push(made);
            for (uint256 j = 0; j < 5; ++j) {
                fund(made, _people[j], START);
            }
            fund(made, victim, START);
            fund(made, mallory, START);
            fund(made, address(intruder), 1e18);
            vm.prank(victim);
            (bool approved,) = address(made).call(abi.encodeCall(Token.approve, (implementation, MAX)));
            ok(approved, "approved");
            _makeVaults(i, address(made));
        }
    }

    function _makeVaults(uint256 i, address asset) private {
        Mode[7] memory modes = [
            Mode.Honest,
            Mode.MintsHalf,
            Mode.MintsToCaller,
            Mode.TakesHalf,
            Mode.MintsNothing,
            Mode.Reenters,
            Mode.LendsControl
        ];
        for (uint256 j = 0; j < 7; ++j) {
            BehaviourVault made = new BehaviourVault(asset, modes[j]);
            if (j >= 5) made.setHook(address(intruder));
            _vaults[i].push(address(made));
        }
        _vaults[i].push(address(new OpenZeppelinVault(asset, 6)));
        _vaults[i].push(address(new SolmateVault(asset)));
    }

    function ours() external view returns (address, address) {
        return (address(router), implementation);
    }

    function vaultOf(uint256 token_, uint256 index) external view returns (address) {
        return _vaults[token_][index];
    }

    function clonesCount() external view returns (uint256) {
        return clones.length;
    }

    function exactToken(uint256 i) public pure returns (bool) {
        return i != 2 && i != 3;
    }

    // --- what the fuzzer calls -------------------------------------------------------------------------------------

    function deposit(uint256 what, uint256 who, uint256 amount, uint256 floor) external {
        _deposit(what, who, amount, floor, 0);
    }

    function depositWithDonation(uint256 what, uint256 who, uint256 amount, uint256 donation) external {
        _deposit(what, who, amount, 0, within(donation, 1, 1e18));
    }

    function depositNative(uint256 who, uint256 amount, uint256 spent, uint256 donation) external {
        address sender = _people[who % 5];
        amount = within(amount, 1, 100 ether);
        donation = donation % 4 == 0 ? within(donation, 1, 1 ether) : 0;
        address clone = nextClone();
        vm.deal(sender, amount);
        vm.deal(clone, donation);
        Order memory d = depositOf(NATIVE, who % 2 == 0 ? amount : MAX, address(wethVault));
        (d.receiver, d.refundTo) = (_people[who / 5 % 5], _people[who / 25 % 5]);
        Step memory wrap = callStep(address(weth), abi.encodeCall(WrappedNative.deposit, ()));
        wrap.value = spent % 3 == 0 ? MAX : within(spent, 1, amount);
        uint256 sent = wrap.value == MAX ? amount + donation : wrap.value;
        uint256 refundBefore = d.refundTo.balance - (d.refundTo == sender ? amount : 0);
        uint256 sharesBefore = wethVault.balanceOf(d.receiver);
        attempts += 1;
        vm.prank(sender);
        (bool done,) = address(router).call{value: amount}(
            abi.encodeCall(
                IDepositRouter.execute,
                (d, two(wrap, vaultStep(address(weth), address(wethVault), d.receiver)), only(address(weth)))
            )
        );
        if (!done) return;
        successes += 1;
        clones.push(clone);
        if (wethVault.balanceOf(d.receiver) - sharesBefore != sent) sharesShort += 1;
        if (d.refundTo.balance - refundBefore != amount + donation - sent) notConserved += 1;
        if (clone.balance != 0 || weth.balanceOf(clone) != 0) heldByUs += 1;
    }

    /// @dev Mallory deposits her own money with a hostile step in front: theft, approval, reentry, a forbidden target.
    function attack(uint256 what, uint256 kind, uint256 amount) external {
        uint256 i = what % TOKENS;
        attacks += 1;
        Order memory d = depositOf(address(tokens[i]), within(amount, 3, 1e18), _vaults[i][0]);
        (d.receiver, d.refundTo) = (kind % 3 == 0 ? victim : mallory, kind % 5 == 0 ? victim : mallory);
        Step memory hostile = _hostile(tokens[i], kind);
        Step memory honest = vaultStep(address(tokens[i]), _vaults[i][0], d.receiver);
        address clone = nextClone();
        _aimIntruder(tokens[i], _vaults[i][0], amount / 7);
        vm.prank(mallory);
        (bool done,) = address(router).call(abi.encodeCall(IDepositRouter.execute, (d, two(hostile, honest), none())));
        if (done) clones.push(clone);
        if (intruder.succeeded()) nested += 1;
    }

    /// @dev Anybody calls an Executor directly: the implementation, or a clone that has lived.
    function driveExecutor(uint256 which, uint256 who, uint256 what) external {
        address target = which % 4 == 0 || clones.length == 0 ? implementation : clones[which % clones.length];
        Token of_ = tokens[what % TOKENS];
        Step[] memory steps = one(callStep(address(of_), abi.encodeCall(Token.transferFrom, (victim, mallory, 1))));
        if (which % 3 == 0) steps = new Step[](0);
        vm.prank(who % 6 == 5 ? mallory : _people[who % 5]);
        (bool done,) = target.call(driveData(steps, address(of_)));
        if (done) executorDriven += 1;
    }

    // --- one deposit -----------------------------------------------------------------------------------------------

    function _deposit(uint256 what, uint256 who, uint256 amount, uint256 floor, uint256 donation) private {
        Plan memory p;
        (p.tokenIndex, p.vaultIndex) = (what % TOKENS, what / TOKENS % VAULTS);
        (p.token, p.vault) = (tokens[p.tokenIndex], _vaults[p.tokenIndex][p.vaultIndex]);
        p.sender = _people[who % 5];
        p.clone = nextClone();
        p.donated = donation;
        if (donation != 0) p.token.mint(p.clone, donation);
        p.senderBefore = p.token.balanceOf(p.sender);
        p.d = depositOf(address(p.token), within(amount, 10, 1_000e18), p.vault);
        p.d.direct = p.vaultIndex != 2; // the vault that mints to its caller
        if (amount % 50 == 0) p.d.amountIn = MAX;
        (p.d.receiver, p.d.refundTo) = (_people[who / 5 % 5], _people[who / 25 % 5]);
        if (floor % 4 == 1) p.d.minOut = p.d.amountIn == MAX ? 1 : p.d.amountIn / 3 + 1;
        if (floor % 8 == 3) p.d.minOut = p.d.amountIn;
        if (floor % 16 == 5) p.d.minIn = p.d.amountIn;
        p.sharesBefore = Token(p.vault).balanceOf(p.d.receiver);
        p.totalBefore = _total(p);
        _aimIntruder(p.token, p.vault, who / 125);
        attempts += 1;
        vm.prank(p.sender);
        (bool done, bytes memory answer) =
            address(router).call(abi.encodeCall(IDepositRouter.execute, (p.d, _steps(p), only(p.vault))));
        _judge(p, done, answer);
    }

    function _steps(Plan memory p) private pure returns (Step[] memory) {
        return one(vaultStep(address(p.token), p.vault, p.d.receiver));
    }

    /// @dev What the intruder tries when a hook, a vault or a step gives it control in the next deposit.
    function _aimIntruder(Token of_, address vault_, uint256 kind) private {
        address clone = nextClone();
        bytes memory data = abi.encodeCall(Token.transferFrom, (kind % 4 == 0 ? victim : clone, mallory, 1));
        address target = address(of_);
        if (kind % 4 == 1) {
            target = clone;
            data = driveData(new Step[](0), address(of_));
        }
        if (kind % 4 == 2) {
            target = address(router);
            Order memory d = depositOf(address(of_), 3, vault_);
            data = abi.encodeCall(IDepositRouter.execute, (d, one(vaultStep(address(of_), vault_, bob)), none()));
        }
        intruder.plan(target, 0, data);
    }

    function _judge(Plan memory p, bool done, bytes memory answer) private {
        if (intruder.calls() != intrusions) intrusions = intruder.calls();
        if (intruder.succeeded()) nested += 1;
        uint256 senderAfter = p.token.balanceOf(p.sender);
        if (!done) {
            losses[p.tokenIndex][p.vaultIndex] += 1;
            if (senderAfter != p.senderBefore) paidTooMuch += 1;
            if (Token(p.vault).balanceOf(p.d.receiver) != p.sharesBefore) sharesShort += 1;
            if (p.donated != 0) p.token.burn(p.clone, p.donated);
            return;
        }
        successes += 1;
        wins[p.tokenIndex][p.vaultIndex] += 1;
        clones.push(p.clone);
        uint256 rise = Token(p.vault).balanceOf(p.d.receiver) - p.sharesBefore;
        if (rise < p.d.minOut || rise != abi.decode(answer, (uint256))) sharesShort += 1;
        if (senderAfter < p.senderBefore && p.senderBefore - senderAfter > p.d.amountIn) paidTooMuch += 1;
        if (exactToken(p.tokenIndex) && _total(p) != p.totalBefore) notConserved += 1;
        if (p.token.allowance(p.clone, p.vault) != 0) allowanceLeft += 1;
        if (p.token.balanceOf(p.clone) > (p.tokenIndex == 3 ? 1 : 0)) heldByUs += 1;
        if (Token(p.vault).balanceOf(p.clone) != 0) heldByUs += 1;
    }

    /// @dev What the parties of a deposit hold together. It stays the same when nobody else gains or loses.
    function _total(Plan memory p) private view returns (uint256 total) {
        total = p.token.balanceOf(p.sender) + p.token.balanceOf(p.vault) + p.token.balanceOf(p.clone);
        if (p.d.refundTo != p.sender) total += p.token.balanceOf(p.d.refundTo);
    }

    function _hostile(Token of_, uint256 kind) private view returns (Step memory step) {
        kind = kind / 15 % 8;
        bytes memory theft = abi.encodeCall(Token.transferFrom, (victim, mallory, 1));
        step = callStep(address(of_), theft);
        if (kind == 1) step.data = abi.encodeCall(Token.move, (victim, mallory, 1));
        if (kind == 2) step.data = abi.encodeCall(Token.approve, (mallory, MAX));
        if (kind == 3) step.target = implementation;
        if (kind == 4) (step.target, step.data) = (address(intruder), abi.encodeCall(Intruder.act, ()));
        if (kind == 5) (step.target, step.data) = (address(router), abi.encodeCall(router.executorImplementation, ()));
        if (kind == 6) {
            step.data = abi.encodeCall(Token.transfer, (mallory, 0));
            step.patches = patch(address(of_), 36);
        }
        if (kind == 7) (step.target, step.data) = (address(0xdead), "");
    }
}
